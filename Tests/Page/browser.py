"""Chromium without a screen and without the network: only 127.0.0.1 answers."""

import base64
import json

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

PATIENCE = 60
WATCH = """window.violations = []
document.addEventListener('securitypolicyviolation', event => violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`))"""


class Browser:
    def __init__(self):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server", "--hide-scrollbars",
                         "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "--force-device-scale-factor=1", "--lang=en-GB",
                         "--disable-background-networking", "--disable-component-update", "--no-first-run"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.command("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        self.move("Europe/Berlin")

    def command(self, name, **parameters):
        return self.driver.execute_cdp_cmd(name, parameters)

    def move(self, zone):
        """To another time zone, for the pages that open from now on."""
        self.command("Emulation.setTimezoneOverride", timezoneId=zone)

    def open(self, url, size=(1280, 800), dark=False, script=True):
        self.command("Emulation.setScriptExecutionDisabled", value=not script)
        self.look(size, dark)
        self.driver.get("about:blank")
        self.driver.get(url)

    def look(self, size=(1280, 800), dark=False, media=""):
        self.command("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)
        self.command("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, script, *arguments, what=None):
        """Returns the script's value as soon as it is true."""
        return WebDriverWait(self.driver, PATIENCE, 0.05).until(lambda _: self.run(script, *arguments), what or script)

    def text(self, selector):
        """The texts of all visible elements."""
        return self.run("return [...document.querySelectorAll(arguments[0])].filter(one => one.checkVisibility()).map(one => one.innerText.trim())", selector)

    def screenshot(self, path=None, whole=False):
        data = base64.b64decode(self.command("Page.captureScreenshot", captureBeyondViewport=whole)["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return data

    def complaints(self):
        """Everything that the console said above a note, and every violation of the content security policy."""
        lines = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        return lines + self.run("return window.violations ?? []")

    def requests(self):
        """The addresses that the browser asked for since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]

    def close(self):
        self.driver.quit()

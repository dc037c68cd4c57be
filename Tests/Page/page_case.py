"""What all tests of the page share: one browser, a server, and the checks after each test."""

import json
import unittest
import urllib.parse
import urllib.request

import browser
import day
import fixture


class Target:
    """The server under test: `url` of a running one, or the fixture. Set by run-page before the tests."""

    url = None
    # The program sightline-server, for tests that start one.
    program = None
    browser = None
    update = False


def needs_fixture(test):
    """Marks a test that changes the server."""
    return unittest.skipIf(Target.url, "needs the fixture")(test)


class PageCase(unittest.TestCase):
    def setUp(self):
        self.fixture = None
        self.base = self.serve()
        Target.browser = Target.browser or browser.Browser()
        self.browser = Target.browser
        self.browser.complaints()
        self.browser.requests()
        self.allowed = []

    def serve(self):
        """The address of the server under test."""
        if not Target.url:
            self.fixture = fixture.Fixture().start()
        return Target.url or self.fixture.url

    def tearDown(self):
        complaints = [one for one in self.browser.complaints() if not any(words in one for words in self.allowed)]
        hosts = {urllib.parse.urlsplit(one).netloc for one in self.browser.requests()} - {urllib.parse.urlsplit(self.base).netloc, ""}
        self.browser.open("about:blank")
        if self.fixture and self.fixture.server:
            self.fixture.stop()
        self.assertEqual(complaints, [], "the console has errors")
        self.assertEqual(hosts, set(), "the page asked another host")

    def api(self, path, **query):
        text = urllib.parse.urlencode(query)
        with urllib.request.urlopen(f"{self.base}api/v1/{path}?{text}") as answer:
            return json.load(answer)

    @property
    def site(self):
        return self.api("sites")["sites"][0]["site"]

    @property
    def zone(self):
        return self.api("sites")["sites"][0]["timeZone"]

    def open(self, place="", ready=".tile, .lanes, .gateway-table", **look):
        """`QUEUE` in a place is the server's first queue."""
        if "QUEUE" in place:
            place = place.replace("QUEUE", self.api("sites")["sites"][0]["queues"][0])
        self.browser.open(self.base + place, **look)
        self.browser.wait("return document.querySelector(arguments[0])", ready)

    def text(self, selector):
        return self.browser.text(selector)

    def one(self, selector):
        texts = self.text(selector)
        self.assertEqual(len(texts), 1, f"{selector}: {texts}")
        return texts[0]

    def eventually(self, selector, expected):
        """Waits until the visible texts are `expected`."""
        try:
            self.browser.wait("return JSON.stringify([...document.querySelectorAll(arguments[0])].filter(one => one.checkVisibility())"
                              ".map(one => one.innerText.trim())) === JSON.stringify(arguments[1])", selector, expected)
        except Exception:
            self.assertEqual(self.text(selector), expected)

    def boxes(self, selector):
        """[left, top, width, height] of each element, in pixels."""
        return self.browser.run("return [...document.querySelectorAll(arguments[0])].map(one => one.getBoundingClientRect())"
                                ".map(box => [box.x, box.y, box.width, box.height])", selector)


class QueueCase(PageCase):
    """An hour of the fixture's queue `checkout`, or of another one."""

    def show(self, name="checkout", **look):
        self.open(f"#/queues/{name}", ready=".lanes", **look)

    def minutes(self, end=day.NOW, name="checkout"):
        query = {"from": end - day.HOUR, "to": end, "step": "minute"}
        return self.api(f"sites/{day.SITE}/queues/{name}/history", **query)["periods"]

    def visits(self, end=day.NOW):
        return self.api(f"sites/{day.SITE}/queues/checkout/visits", to=end, **{"from": end - day.HOUR})["visits"]

    def point(self, at):
        self.browser.run("const slider = document.querySelector('.cross-slider'); slider.value = arguments[0]; slider.dispatchEvent(new Event('input'))", at - (day.NOW - day.HOUR))

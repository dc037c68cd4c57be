"""Everybody can use the page: keyboard, screen reader, phone, wall, paper, without JavaScript, with a token."""

import glob
import os
import shutil
import subprocess
import unittest
import zipfile

from selenium.webdriver.common.keys import Keys

import day
from page_case import PageCase, needs_fixture
from test_beacons import register

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
VIEWS = {"": ".band", "#/queues/QUEUE": ".lanes", "#/gateways": ".gateway-table", "#/beacons": ".work :is(ol, .caption)", "?wall": ".band"}
PHONE = (375, 812)


def axe():
    """The source of axe-core, from the Python package that ships it; None where the package can't be had."""
    folder = os.path.join(ROOT, ".build/page")
    wheel = os.path.join(folder, "axe_playwright_python-0.1.8-*.whl")
    pip = shutil.which("pip3")
    if not glob.glob(wheel) and pip:
        subprocess.run([pip, "download", "-q", "--no-deps", "-d", folder, "axe-playwright-python==0.1.8"], capture_output=True)
    if not glob.glob(wheel):
        return None
    with zipfile.ZipFile(glob.glob(wheel)[0]) as archive:
        return archive.read("axe_playwright_python/axe.min.js").decode()


class AccessTests(PageCase):
    def setUp(self):
        super().setUp()
        if self.fixture:
            register(self.fixture)

    def test_axe_finds_nothing(self):
        source = axe()
        if source is None:
            raise unittest.SkipTest("axe-core: its package can't be downloaded")
        for view, ready in VIEWS.items():
            for size, dark in (((1280, 800), False), (PHONE, True)):
                with self.subTest(view=view, dark=dark):
                    self.open(view, ready=ready, size=size, dark=dark)
                    self.browser.run("document.querySelectorAll('details').forEach(one => one.open = !one.matches('.why'))")
                    self.assertEqual(self.violations(source), [])

    @needs_fixture
    def test_the_keyboard_reaches_everything_in_order(self):
        for view, ready in VIEWS.items():
            with self.subTest(view=view):
                self.open(view, ready=ready)
                walk = self.walk()
                count = self.browser.run("return [...document.querySelectorAll('a[href], button, input, summary, select, [tabindex=\"0\"]')].filter(one => one.checkVisibility()).length")
                self.assertEqual(len(walk), count, walk)
                self.assertTrue(all(name for name, _, _ in walk), walk)
                self.assertTrue(all(outline != "none" for _, outline, _ in walk), walk)
                self.assertEqual([place for _, _, place in walk], sorted(place for _, _, place in walk), "the focus follows the document")

    @needs_fixture
    def test_axe_finds_nothing_on_a_stale_page(self):
        source = axe()
        if source is None:
            raise unittest.SkipTest("axe-core: its package can't be downloaded")
        self.allowed = ["net::ERR"]
        self.open(ready=".today-hour")
        self.fixture.stop()
        self.fixture.server = None
        self.browser.wait("return !document.getElementById('stale').hidden")
        self.assertEqual(self.violations(source), [])

    def violations(self, source):
        self.browser.run(source)
        found = self.browser.driver.execute_async_script(
            "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']}).then(arguments[0])")
        self.assertGreater(len(found["passes"]), 10)
        return [(one["id"], [node["html"][:200] for node in one["nodes"]][:3]) for one in found["violations"]]

    def walk(self):
        """Tab by tab: name, outline and place in the document of what has the focus."""
        steps, body = [], self.browser.driver.find_element("css selector", "body")
        self.browser.run("document.activeElement.blur(); getSelection().removeAllRanges()")
        while len(steps) < 200:
            (body if not steps else self.browser.driver.switch_to.active_element).send_keys(Keys.TAB)
            step = self.browser.run("const one = document.activeElement; if (one === document.body) return null; "
                                    "return [one.ariaLabel || one.innerText, getComputedStyle(one).outlineStyle, [...document.querySelectorAll('*')].indexOf(one)]")
            if step is None or steps and step[2] <= steps[0][2]:
                return steps
            steps.append(step)
        return steps

    @needs_fixture
    def test_enter_opens_an_explanation_and_escape_closes_it(self):
        self.open()
        summary = self.browser.driver.find_element("css selector", ".tile .wait summary")
        summary.send_keys(Keys.ENTER)
        self.browser.wait("return document.querySelector('.tile .wait').open")
        self.browser.driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        self.browser.wait("return !document.querySelector('.tile .wait').open && document.activeElement.matches('.tile .wait summary')")

    @needs_fixture
    def test_a_screen_reader_says_what_a_wait_is(self):
        self.open()
        described = self.browser.run("return [...document.querySelectorAll('.tile .wait summary')].map(one => document.getElementById(one.getAttribute('aria-describedby')).innerText)")
        self.assertEqual(described, ["wait from now, including paying"] * 3)

    @needs_fixture
    def test_news_leave_the_focus_where_it_is(self):
        self.open()
        self.browser.run("document.querySelector(\".tile[data-queue='bakery'] .wait summary\").focus()")
        value = day.queue_now("bakery", rev=999)
        self.fixture.publish("queue", value | {"wait": value["wait"] | {"ms": 3_000_000, "highMs": 3_600_000}})
        self.eventually(".tile[data-queue='bakery'] .wait .main", ["50 minutes"])
        self.assertTrue(self.browser.run("return document.activeElement.matches(\".tile[data-queue='bakery'] .wait summary\")"))

    def test_without_javascript_there_is_a_table(self):
        self.open(ready="table", script=False)
        queues = self.api(f"sites/{self.site}/queues")["queues"]
        rows = self.text("tbody tr")
        self.assertEqual(len(rows), len(queues))
        for one in queues:
            row = next(row for row in rows if one["queue"] in row.split())
            self.assertEqual("unknown" in row, one["state"] == "unknown")
        self.assertEqual(self.text("h1"), ["Queues now"])

    def test_the_table_without_javascript_fits_on_a_phone(self):
        for width in (320, 390, 1280):
            self.open(ready="table", script=False, size=(width, 800))
            self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), width)
            before = self.browser.run("return getComputedStyle(document.querySelector('td[data-name=Wait]'), '::before').content")
            self.assertEqual(before, '"Wait"' if width < 1216 else "none")

    def test_nothing_is_wider_than_a_phone(self):
        for view, ready in VIEWS.items():
            self.open(view, ready=ready, size=PHONE)
            self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), PHONE[0], view)

    @needs_fixture
    def test_the_titles_of_lanes_fit_on_a_phone(self):
        self.fixture.truth = {"checkout": [[day.NOW - 50 * day.MINUTE, 7], [day.NOW - 20 * day.MINUTE, 3]]}
        for keeps in (True, False):
            self.fixture.keeps_visits, self.allowed = keeps, ["404"]
            self.open("#/queues/checkout", ready=".lanes", size=(320, 800))
            cut = self.browser.run("return [...document.querySelectorAll('.lane-title')].filter(one => one.getComputedTextLength() > one.ownerSVGElement.width.baseVal.value).map(one => one.textContent)")
            self.assertEqual(cut, [])

    def test_no_explanation_leaves_the_screen(self):
        for width in (320, PHONE[0], 480, 740, 900, 1115, 1280):
            for view in ("", "#/queues/QUEUE"):
                with self.subTest(view=view, width=width):
                    self.open(view, ready=".tile .wait, .queue-now .wait", size=(width, 900))
                    outside = self.browser.run("const far = []; for (const one of document.querySelectorAll('details.why')) { if (!one.checkVisibility()) continue; one.open = true; "
                                               "const box = one.querySelector('.why-text').getBoundingClientRect(); "
                                               "if (box.left < 0 || box.right > innerWidth || document.documentElement.scrollWidth > innerWidth) far.push(one.className); "
                                               "one.open = false } return far")
                    self.assertEqual(outside, [])

    @needs_fixture
    def test_long_names_break_on_a_phone(self):
        name = "q" * 64
        self.allowed = ["404"]
        self.fixture.queues = {name: day.queue_now("bakery") | {"queue": name, "state": "degraded", "reasons": [
            {"gateway": "g" * 64, "state": "deaf", "since": day.NOW, "until": None}]}}
        self.fixture.gateways["g" * 64] = day.GATEWAYS[0] | {"gateway": "g" * 64}
        for view, ready in {"": ".tile", f"#/queues/{name}": ".panel", "#/gateways": ".gateway-table"}.items():
            self.open(view, ready=ready, size=PHONE)
            self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), PHONE[0], view)
        self.assertTrue(self.browser.run("const list = document.querySelector('.scroll'); return list.scrollWidth <= list.clientWidth"))

    @needs_fixture
    def test_an_unknown_site_shows_no_other_one(self):
        self.open("?site=nope&wall", ready="main li")
        self.assertEqual(self.one("h1"), "The server does not know the site nope.")
        self.assertEqual(self.text(".tile, #stale, #link:not(:empty)"), [])
        self.browser.run("document.querySelector('main li a').click()")
        self.browser.wait("return document.querySelector('.wall .tile') && document.querySelector('.tile .wait')")

    @needs_fixture
    def test_a_small_wall_shows_the_share_with_a_beacon(self):
        """Its first day has the longest words."""
        usual = day.typical
        self.addCleanup(setattr, day, "typical", usual)
        day.typical = lambda *_: {"weekday": 6, "slots": []}
        for names in (["checkout", "bakery"], list(day.QUEUES)):
            self.fixture.queues = {name: day.queue_now(name) for name in names}
            self.open("?wall", ready=".today-hour", size=(1280, 800))
            self.browser.wait("return document.querySelectorAll('.band').length === arguments[0]", len(names))
            [foot] = self.boxes("#foot")
            self.assertLessEqual(foot[1] + foot[3], 800, names)
            self.assertIn("30 % of people", self.one("#foot"))

    @needs_fixture
    def test_paper_shows_the_numbers_and_no_controls(self):
        self.open()
        self.browser.look(media="print")
        self.assertEqual(self.text("nav"), [])
        self.assertEqual(len(self.text(".tile")), 3)
        self.assertRegex(self.one("#link"), r"\d{4}, \d\d:\d\d:\d\d", "the date")
        self.assertEqual(self.browser.run("return getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")

    @needs_fixture
    def test_paper_shows_the_hour_and_no_sliders(self):
        self.open("#/queues/checkout", ready=".readout-time", size=(794, 1123))
        self.browser.look((794, 1123), media="print")
        self.assertEqual(self.text("button, input, .history h2"), [])
        self.assertEqual(self.text(".span"), ["Sat 14 Mar, 11:04 to 12:04"])
        self.assertEqual(self.text(".readout-time"), ["12:03"])
        lines = "const range = document.createRange(); range.selectNodeContents(document.querySelector('.readout-time')); return range.getClientRects().length"
        self.assertEqual(self.browser.run(lines), 1)

    def enter(self, token):
        self.browser.wait("return document.querySelector('dialog')")
        self.assertEqual(len(self.text("dialog")), 1)
        self.browser.driver.find_element("css selector", "dialog input").send_keys(token, Keys.ENTER)

    @needs_fixture
    def test_a_token_is_asked_for_once_and_kept_for_the_tab(self):
        self.fixture.token, self.allowed = "s3cret", ["401"]
        self.open("#/queues/checkout", ready="dialog")
        self.enter("s3cret")
        self.browser.wait("return document.querySelector('.lanes') && !document.querySelector('dialog')")
        self.browser.run("location.hash = '#/'")
        self.browser.wait("return document.querySelectorAll('.today-hour').length > 3")
        self.assertEqual(self.text("dialog, .link-button"), [])
        self.assertEqual(self.browser.run("return [sessionStorage.length, localStorage.length, document.cookie]"), [1, 0, ""])
        self.browser.run("sessionStorage.clear()")

    @needs_fixture
    def test_the_view_now_and_a_wall_offer_the_token_without_a_dialog(self):
        self.fixture.token, self.allowed = "s3cret", ["401"]
        for view in ("", "?wall"):
            with self.subTest(view=view):
                self.open(view)
                self.eventually(".today > .legend", ["Today’s waits are shown only with a token. Enter a token"])
                self.assertEqual(self.text("dialog, .band-row"), [])
                self.assertEqual(len(self.text(".tile .wait summary")), 2)
                self.browser.run("document.querySelector('.today .link-button').click()")
                self.enter("s3cret")
                self.browser.wait("return document.querySelectorAll('.today-hour').length > 3 && !document.querySelector('dialog')")
                self.browser.run("sessionStorage.clear()")

    @needs_fixture
    def test_a_wall_of_a_server_without_public_numbers_offers_the_token_in_its_banner(self):
        self.fixture.token, self.fixture.is_public, self.allowed = "s3cret", False, ["401"]
        self.open("?wall", ready="#stale .link-button")
        self.assertEqual(self.one("#stale"), "A token is needed. The page tries again. Enter a token")
        self.assertEqual(self.text("dialog"), [])
        self.browser.run("document.querySelector('#stale .link-button').click()")
        self.enter("s3cret")
        self.browser.wait("return document.querySelector('.tile .wait')")
        self.assertEqual(self.text("#stale"), [])
        self.browser.run("sessionStorage.clear()")

    @needs_fixture
    def test_without_the_token_the_public_numbers_stay(self):
        self.fixture.token, self.allowed = "s3cret", ["401"]
        self.open("#/queues/checkout", ready="dialog")
        self.browser.run("document.querySelector('dialog button[value=cancel]').click()")
        self.eventually(".problem", ["The hour is not shown: A token is needed."])
        self.assertEqual(len(self.text(".queue-now .wait summary")), 1)
        self.assertEqual(self.text("dialog"), [])

"""The event stream: news arrive, a lost server is noticed, and the page resumes."""

import re

import day
from browser import PATIENCE
from page_case import PageCase, needs_fixture

# How the browser says it depends on the moment: in a request, in an answer, between two.
LOST = ["Failed to load resource: net::ERR_"]
LOST_WAITS = "[...document.querySelectorAll('.over-words summary')].filter(one => one.innerText.startsWith('Today’s waits are not shown')).length"


@needs_fixture
class StreamTests(PageCase):
    def setUp(self):
        super().setUp()
        self.allowed = LOST

    def wait_of(self, rev, ms):
        value = day.queue_now("checkout", rev=rev)
        return value | {"wait": value["wait"] | {"ms": ms, "lowMs": ms - 60_000, "highMs": ms + 60_000}}

    def test_a_stopped_server_makes_the_page_stale_and_a_restart_ends_that(self):
        self.open()
        before = self.text(".tile h2")
        self.fixture.stop()
        self.browser.wait("return !document.getElementById('stale').hidden", what="no stale banner")
        self.assertRegex(self.one("#stale"), r"^Stale since \w{3} \d+ \w+ \d{4}, \d\d:\d\d:\d\d: the server does not answer")
        self.assertEqual(self.text(".tile h2"), before, "the last numbers stay")
        self.fixture.queues["checkout"] = self.wait_of(900, 1_200_000)
        self.fixture.restart()
        self.browser.wait("return document.getElementById('stale').hidden", what="the stale banner stays")
        self.eventually(".tile[data-queue='checkout'] .wait summary", ["20 minutes (19 to 21)"])
        self.assertTrue(self.fixture.resumed, "the page asked for the events after the last one")

    def test_a_stale_page_names_the_zone_beside_its_time_only(self):
        self.addCleanup(self.browser.move, day.ZONE)
        self.browser.move("Asia/Tokyo")
        self.open()
        self.fixture.stop()
        self.browser.wait("return !document.getElementById('stale').hidden", what="no stale banner")
        self.eventually("#link", ["store-042 · stale"])
        self.assertRegex(self.one("#stale"), r":\d\d \(Europe/Berlin\): the server does not answer")

    def test_waits_whose_answer_is_cut_off_are_loaded_again(self):
        self.fixture.cut = "/history?"
        self.open()
        self.browser.wait(f"return ({LOST_WAITS}) === 3")
        self.fixture.cut = None
        # The page's clock goes on by less than the five minutes between two looks.
        self.browser.run("const now = performance.now; performance.now = () => now.call(performance) + 11000")
        self.fixture.publish("queue", self.wait_of(905, 240_000))
        self.browser.wait(f"return ({LOST_WAITS}) === 0")

    def test_a_server_without_its_broker_says_so(self):
        self.open()
        self.assertEqual(self.text("#stale"), [])
        self.fixture.publish("server", {"connected": False})
        self.eventually("#stale", ["The server is not connected to its MQTT broker: no messages of gateways arrive. The server tries again."])
        self.fixture.publish("server", {"connected": True})
        self.eventually("#stale", [])

    def test_after_a_broken_connection_the_page_resumes_after_its_last_event(self):
        self.open()
        self.fixture.publish("queue", self.wait_of(901, 240_000))
        self.eventually(".tile[data-queue='checkout'] .wait summary", ["4 minutes (3 to 5)"])
        for stream in list(self.fixture.streams):
            stream.put(None)
        self.assertTrue(self.fixture.has_resumed.wait(PATIENCE))
        self.assertEqual(self.fixture.resumed, ["1.1"])
        self.fixture.publish("queue", self.wait_of(902, 360_000))
        self.eventually(".tile[data-queue='checkout'] .wait summary", ["6 minutes (5 to 7)"])

    def test_a_page_without_a_place_for_its_stream_asks_for_new_numbers(self):
        self.fixture.is_full = True
        self.open()
        self.assertEqual(len(self.text(".tile")), 3)
        self.assertRegex(self.one("#link"), r"\d\d:\d\d:\d\d, new numbers every 1.5 s")
        self.fixture.publish("queue", self.wait_of(904, 240_000))
        # In this state, the fixture sends no events of the past.
        self.fixture.session += 1
        self.eventually(".tile[data-queue='checkout'] .wait summary", ["4 minutes (3 to 5)"])
        self.assertEqual(self.text("#stale"), [])
        self.fixture.is_full = False
        self.browser.wait("return !document.getElementById('link').innerText.includes('every')", what="the page asks although there is a place")

    def test_a_refused_stream_has_the_servers_reason(self):
        self.allowed = [*LOST, "429"]
        self.open()
        self.fixture.refusal = (429, "This address sends too many requests.")
        for stream in list(self.fixture.streams):
            stream.put(None)
        self.browser.wait("return /^Stale since [A-Za-z0-9 ]+, [0-9:]+: This address sends too many requests. The page tries again.$/.test(document.getElementById('stale').innerText)")
        self.fixture.refusal = None
        self.eventually("#stale", [])

    def test_the_banner_has_the_time_of_the_last_byte_by_the_pages_clock(self):
        self.fixture.pulse = 3600
        begun = self.browser.run("return Date.now()")
        self.open()
        # The page's clock goes 21 s ahead: more than the server's 15 s between two comments.
        opened = self.browser.run("const now = Date.now, opened = now(); Date.now = () => now() + 21000; return opened")
        self.browser.wait("return !document.getElementById('stale').hidden")
        shown = re.search(r"\d\d:\d\d:(\d\d)", self.one("#stale"))[0]
        times = self.browser.run("const [begun, opened] = arguments, times = []; for (let at = begun; at < opened + 1000; at += 1000) "
                                 "times.push(new Date(Math.min(at, opened)).toTimeString().slice(0, 8)); return times", begun, opened)
        self.assertIn(shown, times)
        self.fixture.publish("queue", self.wait_of(903, 240_000))
        self.browser.wait("return document.getElementById('stale').hidden")

    def test_another_version_of_the_server_brings_its_page(self):
        self.open()
        self.browser.run("window.isOld = true")
        self.fixture.stop()
        self.fixture.version = "0.0.1"
        self.fixture.restart()
        self.browser.wait("return !window.isOld && document.querySelector('.tile') && document.querySelector('footer').innerText.includes('sightline-server 0.0.1')")

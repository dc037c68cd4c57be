"""The view Beacons: the work list, and the registry with the state and the evidence of each beacon."""

import day
from page_case import PageCase, needs_fixture

UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"


def beacon(minor, state="ok", days=None, sentence=None, **more):
    work = None if days is None else {"withinDays": days, "sentence": sentence}
    return {"v": 1, "kind": "beacon", "site": day.SITE, "beacon": f"{UUID}/42/{minor}", "name": f"shelf-{minor}", "carrier": "fixed",
            "registered": {"zone": "sales", "x": 1.5, "y": 3, "z": None}, "at": day.NOW, "rev": 1, "state": state, "fault": "no" if work is None else "yes",
            "since": None, "why": None, "work": work, "lastHeard": day.NOW - day.MINUTE, "gateways": [{"gateway": "till-1", "level": -64}], "battery": None} | more


def stranger(minor, at):
    return {"v": 1, "kind": "beacon-event", "site": day.SITE, "id": str(minor), "event": "unregistered", "beacon": f"{UUID}/42/{minor}", "name": None, "at": at, "decidedAt": at,
            "sentence": f"42/{minor} has no row in the registry and is loudest at till-1.", "why": {"reports": 3, "gateways": ["till-1"]}}


BATTERY = "Battery of shelf-3 ends in about 3 weeks (2.61 V, −9 mV a week)."
MISSING = "shelf-2 is missing: no report for 16 min 40 s at till-1."


def register(fixture):
    """Gives the site a registry."""
    fixture.beacons = {one["beacon"]: one for one in [
        beacon(1), beacon(3, "battery", 20.4, BATTERY, battery={"millivolts": 2605, "millivoltsPerWeek": -9.2, "daysLeft": 20.4}),
        beacon(2, "missing", 1, MISSING, lastHeard=day.NOW - 20 * day.MINUTE, why={"silenceMs": 1_000_000, "deadlineMs": 900_000, "gateways": ["till-1"]}),
        beacon(4, "unknown", name=None, carrier="gateway", registered={"zone": None, "x": None, "y": None, "z": None}, lastHeard=None, gateways=[])]}
    fixture.beacon_events = [stranger(9, day.NOW - day.HOUR)]


@needs_fixture
class BeaconsTests(PageCase):
    def setUp(self):
        super().setUp()
        register(self.fixture)

    def show(self, place="#/beacons", **look):
        self.open(place, ready="tr[data-beacon]", **look)

    def rows(self):
        return self.browser.run("return [...document.querySelectorAll('tr[data-beacon]')].map(row => [...row.cells].map(cell => cell.innerText.trim()))")

    def row(self, minor):
        return f'tr[data-beacon="{UUID}/42/{minor}"]'

    def test_the_work_list_begins_with_the_most_urgent(self):
        self.show()
        self.assertEqual(self.one("h1"), "2 of 4 beacons need attention")
        self.assertEqual(self.text(".work li"), [f"missing {MISSING}", f"battery ends {BATTERY}", "not registered " + stranger(9, 0)["sentence"]])
        shapes = self.browser.run("return [...document.querySelectorAll('.beacon-state')].map(one => getComputedStyle(one, '::before').content[1])")
        self.assertEqual(shapes[:3], ["✕", "▼", "■"], "a state is a shape too")

    def test_the_registry_has_identity_place_time_battery_and_state(self):
        self.show()
        self.assertEqual([row[:5] for row in self.rows()], [
            [f"shelf-2\nfixed, {UUID}/42/2", "missing", "sales (1.5, 3 m)", self.clock(day.NOW - 20 * day.MINUTE), "not told"],
            [f"shelf-3\nfixed, {UUID}/42/3", "battery ends", "sales (1.5, 3 m)", self.clock(day.NOW - day.MINUTE), "2.61 V, −9 mV a week"],
            [f"shelf-1\nfixed, {UUID}/42/1", "ok", "sales (1.5, 3 m)", self.clock(day.NOW - day.MINUTE), "not told"],
            [f"42/4\na gateway’s own, {UUID}/42/4", "unknown", "not given", "never", "not told"]])

    def clock(self, at):
        return self.browser.run("return new Intl.DateTimeFormat('en-GB', { timeZone: arguments[0], hour: '2-digit', minute: '2-digit' }).format(arguments[1])", day.ZONE, at)

    def test_the_stream_changes_rows_and_leaves_open_evidence_and_the_focus(self):
        self.show()
        self.browser.run("const summary = document.querySelector(arguments[0] + ' summary'); summary.focus(); summary.click()", self.row(1))
        self.eventually(f"{self.row(1)} .evidence p", ["Heard by till-1 (−64 dBm)."])
        moved = "shelf-1 seems to be in another place: its levels have changed at till-1."
        self.fixture.publish("beacon", beacon(1, "moved", 3, moved, at=day.NOW + 1, why={"score": 2.4, "threshold": 1.8, "falsePerWeek": .01, "gateways": ["till-1"]}))
        self.eventually(f"{self.row(1)} .evidence p", [
            moved, "Its levels differ by 2.4 deviations from the usual ones; another place from 1.8 on.",
            "Expected false alarms in the whole network: 0.01 a week.", "Heard by till-1 (−64 dBm)."])
        self.assertEqual(self.browser.run("return document.activeElement.getAttribute('aria-label')"), "Why: shelf-1")
        self.fixture.publish("beacon-event", stranger(8, day.NOW + 2))
        self.eventually(".work li", [f"missing {MISSING}", f"another place {moved}", f"battery ends {BATTERY}",
                                     "not registered " + stranger(8, 0)["sentence"], "not registered " + stranger(9, 0)["sentence"]])
        self.assertEqual(self.one("h1"), "3 of 4 beacons need attention")

    def test_an_item_of_the_work_list_opens_its_evidence_by_keyboard(self):
        self.show()
        self.browser.run("document.querySelector('.work a').focus(); document.activeElement.click()")
        self.eventually(".chosen .evidence p", [MISSING, "Silent for 17 minutes in which gateways listened; missing from 15 minutes on.", "Usually heard by till-1 (−64 dBm)."])
        self.assertEqual(len([one for one in self.fixture.log if one.endswith("/beacons")]), 1, "the list is asked for once")

    def test_a_word_finds_beacons(self):
        self.show()
        for words, count in (("SHELF", 3), ("missing", 1), ("42/4", 1), ("nothing", 0), ("", 4)):
            self.browser.run("const find = document.querySelector('input.find'); find.value = arguments[0]; find.dispatchEvent(new Event('input'))", words)
            self.browser.wait("return [...document.querySelectorAll('tr[data-beacon]')].length === arguments[0]", count)

    def test_of_many_beacons_the_first_hundred_are_shown(self):
        self.fixture.beacons = {one["beacon"]: one for one in [beacon(minor) for minor in range(1000)]}
        self.fixture.beacon_events = []
        self.show()
        self.assertEqual(self.one("h1"), "1000 beacons, none needs attention")
        self.assertEqual(len(self.rows()), 100)
        self.browser.run("document.querySelector('.beacons > button').click()")
        self.browser.wait("return document.querySelectorAll('tr[data-beacon]').length === 1000")

    def test_after_a_restart_of_the_server_the_list_is_asked_for_again(self):
        self.show()
        self.fixture.stop()
        del self.fixture.beacons[f"{UUID}/42/2"]
        self.fixture.restart()
        self.allowed = ["ERR_CONNECTION", "ERR_INCOMPLETE", "ERR_EMPTY", "Failed to fetch", "network"]
        self.eventually("h1", ["1 of 3 beacons needs attention"])

    def test_beacons_need_a_token_where_tokens_are_set(self):
        self.fixture.token = "secret"
        self.open("#/beacons", ready=".work .caption")
        self.assertEqual(self.one(".work .caption"), "Beacons need a token of the scope read. Enter a token")
        self.allowed = ["401"]

    def test_a_phone_shows_blocks_without_scrolling_sideways(self):
        self.show(size=(390, 844))
        self.assertTrue(self.browser.run("return document.documentElement.scrollWidth <= 390"))
        names = self.browser.run("return [...document.querySelectorAll('tr[data-beacon] td')].map(cell => getComputedStyle(cell, '::before').content)")
        self.assertIn('"Battery"', names)

    def test_a_site_without_a_registry_has_no_link(self):
        self.open()
        self.eventually("nav a", ["Now", "Queue", "Beacons", "Plan", "Gateways"])
        self.fixture.beacons = {}
        self.browser.open("about:blank")
        self.open()
        self.eventually("nav a", ["Now", "Queue", "Gateways"])

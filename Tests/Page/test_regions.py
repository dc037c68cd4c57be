"""The view Regions: how many beacons are in each region, and the last events of one with their evidence."""

import day
from page_case import PageCase, needs_fixture

NONE = {"visitor": 0, "staff": 0, "fixed": 0, "gateway": 0, "other": 0}
BEACON = "e2c56db5-dffb-48d2-b060-d0f5a71096e0/42/7"


def region(name, **more):
    return {"v": 1, "kind": "region", "site": day.SITE, "region": name, "at": day.NOW, "rev": 1, "state": "ok", "reasons": [], "inside": 0, "unknown": 0,
            "byKind": NONE, "durable": True} | more


def event(name, kind, at, **more):
    return {"v": 1, "kind": "region-event", "site": day.SITE, "region": name, "id": f"{kind}{at}", "event": kind, "carrier": "fixed", "at": at,
            "decidedAt": at + 12_000, "why": {"gateways": ["entry-1"]}} | more


@needs_fixture
class RegionsTests(PageCase):
    def setUp(self):
        super().setUp()
        deaf = [{"gateway": "till-4", "state": "deaf", "since": day.NOW - day.MINUTE}]
        self.fixture.regions = {one["region"]: one for one in [
            region("shop", inside=3, byKind=NONE | {"visitor": 2, "fixed": 1}),
            region("store-room", state="degraded", reasons=deaf, unknown=2),
            region("yard", state="unknown", reasons=deaf, inside=None, byKind=None, unknown=1)]}
        self.fixture.region_events = {"shop": [
            event("shop", "enter", day.NOW - 9 * day.MINUTE, beacon=BEACON, why={"reports": 4.0, "rssi": -71.5, "gateways": ["entry-1"]}),
            event("shop", "exit", day.NOW - 3 * day.MINUTE, carrier="visitor", tag="00000000000000aa",
                  why={"silenceMs": 12_300, "deadlineMs": 11_600, "ratePerSecond": 1.91, "meanGapMs": 523, "falsePerDay": .3, "gateways": ["entry-1", "till-1"]})]}

    def rows(self, place):
        return self.browser.run("return [...document.querySelectorAll(arguments[0])].map(row => [...row.cells].map(cell => cell.innerText.trim()))", place)

    def test_each_region_has_its_state_and_numbers(self):
        self.open("#/regions")
        self.assertEqual(self.one("h1"), "3 regions, 2 of them not certain")
        self.assertEqual(self.rows("tr[data-region]"), [
            ["shop", "known", "3", "2 visitors and 1 fixed", "0", "none"],
            ["store-room", "less certain", "0", "none", "2", "till-4 does not hear"],
            ["yard", "unknown", "unknown", "unknown", "1", "till-4 does not hear"]])
        self.fixture.publish("region", self.fixture.regions["shop"] | {"inside": 4, "byKind": NONE | {"visitor": 3, "fixed": 1}})
        self.eventually("tr[data-region=shop] td:nth-of-type(2)", ["4"])

    def test_the_last_events_have_their_evidence_newest_first(self):
        self.open("#/regions/shop", ready="tr[data-event]")
        self.assertEqual(self.one(".regions > h2"), "Last events of shop")
        self.assertEqual([row[1:] for row in self.rows("tr[data-event]")], [
            ["left", "visitor 00000000000000aa", "silent for 12.3 s, limit 11.6 s; 1.9 reports a second; entry-1, till-1"],
            ["entered", BEACON, "4 reports, -71 dBm; entry-1"]])
        self.fixture.publish("region-event", event("shop", "unknown", day.NOW, beacon=BEACON))
        self.eventually("tr[data-event] td:nth-of-type(1)", ["unknown", "left", "entered"])
        self.fixture.publish("region-event", event("yard", "enter", day.NOW + 1, beacon=BEACON))
        self.fixture.publish("region-event", event("shop", "enter", day.NOW + 2, beacon=BEACON))
        self.eventually("tr[data-event] td:nth-of-type(1)", ["entered", "unknown", "left", "entered"])

    def test_regions_of_the_file_are_read_only_and_others_can_be_changed(self):
        self.fixture.definitions["regions"] = [{"region": "shop", "source": "file", "definition": {"region": "shop", "gateways": ["entry-1"], "kind": "visitor", "exitMs": 30_000}}]
        self.open("#/regions", ready="tr[data-definition]")
        self.assertEqual(self.rows("tr[data-definition]"), [["shop", "entry-1", "visitors", "30 s", "the server’s file: read only here"]])
        self.browser.run("""const form = document.querySelector('.region-form'); form.elements.Name.value = 'hall'
            form.querySelector('[value="till-1"]').checked = true; form.querySelector('select').value = 'fixed'
            form.elements.UUID.value = 'e2c56db5-dffb-48d2-b060-d0f5a71096e0'; form.elements.Minor.value = '7-9'
            form.querySelector('button').click()""")
        self.eventually("[role=status]", ["The region hall is set. All regions begin anew."])
        self.eventually("tr[data-definition] td:nth-of-type(2)", ["visitors", "fixed; e2c56db5-dffb-48d2-b060-d0f5a71096e0 / 7-9"])
        definition = {"region": "hall", "gateways": ["till-1"], "kind": "fixed", "beacons": [{"uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0", "minor": [7, 9]}]}
        self.assertEqual(self.fixture.definitions["regions"][1]["definition"], definition)
        # A change begins with the values in force.
        self.browser.run("document.querySelector('tr[data-definition=hall] button').click()")
        self.browser.wait("return document.querySelector('.region-form h3').innerText === 'Change hall'")
        self.browser.run("document.querySelector('.region-form [value=\"entry-1\"]').checked = true; document.querySelector('.region-form button').click()")
        self.browser.wait("return document.querySelector('tr[data-definition=hall] td').innerText === 'entry-1, till-1'")
        self.assertEqual(self.fixture.definitions["regions"][1]["definition"] | {"gateways": ["till-1"]}, definition)
        self.browser.run("document.querySelector('.definitions summary').click()")
        self.assertIn("anna: hall at entry-1 and till-1, fixed;", self.text(".definitions li")[0])
        self.browser.run("document.querySelectorAll('tr[data-definition=hall] button')[1].click()")
        self.eventually("[role=status]", ["The region hall is removed."])
        self.browser.wait("return document.querySelectorAll('tr[data-definition]').length === 1")

    def test_the_first_region_is_set_at_390_pixels(self):
        self.fixture.regions = {}
        self.open("#/gateways", ready="a[href='#/regions']", size=(390, 844))
        self.browser.run("document.querySelector('a[href=\"#/regions\"]').click()")
        self.browser.wait("return document.querySelector('.region-form') !== null")
        self.assertEqual(self.one("h1"), "No region is configured")
        self.assertEqual(self.one(".definitions .caption"), "There is no region.")
        self.assertTrue(self.browser.run("return document.documentElement.scrollWidth <= 390"))

    def test_a_link_chooses_a_region_by_keyboard(self):
        self.open("#/regions", ready="tr[data-event]")
        self.browser.run("document.querySelector('tr[data-region=yard] a').focus(); document.activeElement.click()")
        self.eventually(".regions > h2", ["Last events of yard"])
        self.eventually(".regions > .scroll > .caption", ["No event in the last 24 hours."])
        self.assertEqual(self.browser.run("return document.querySelector('.chosen').dataset.region"), "yard")

    def test_events_need_a_token_where_tokens_are_set(self):
        self.fixture.token = "secret"
        self.open("#/regions")
        self.eventually("tr[data-region=shop] td:nth-of-type(2)", ["3"])
        self.browser.wait("return document.querySelector('.regions .caption')?.innerText.startsWith('Events need a token')")
        self.allowed = ["401"]

    def test_a_phone_shows_blocks_without_scrolling_sideways(self):
        self.open("#/regions/shop", ready="tr[data-event]", size=(390, 844))
        self.assertTrue(self.browser.run("return document.documentElement.scrollWidth <= 390"))
        names = self.browser.run("return [...document.querySelectorAll('tr[data-region=shop] td')].map(cell => getComputedStyle(cell, '::before').content)")
        self.assertIn('"Beacons inside"', names)

    def test_a_site_without_regions_has_no_link(self):
        self.open()
        self.eventually("nav a", ["Now", "Queue", "Regions", "Gateways"])
        self.fixture.regions = {}
        self.browser.open("about:blank")
        self.open()
        self.eventually("nav a", ["Now", "Queue", "Gateways"])

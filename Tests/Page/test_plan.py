"""The view Plan: zones, gateways and the areas of beacons, as a drawing and as tables."""

import day
from test_beacons import beacon, stranger
from page_case import PageCase, needs_fixture

UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
SHELF, CART, DOOR, LOST = (f"{UUID}/42/{number}" for number in (7, 8, 9, 10))
DEAF = {"gateway": "gw-3", "state": "deaf", "since": day.NOW - day.MINUTE}


def polygon(left, low, right, high):
    return {"type": "Polygon", "coordinates": [[[left, low], [right, low], [right, high], [left, high], [left, low]]]}


def feature(geometry, **properties):
    return {"type": "Feature", "properties": properties, "geometry": geometry}


def point(x, y):
    return {"type": "Point", "coordinates": [x, y]}


PLAN = {"type": "FeatureCollection", "crs": "local", "features": [
    feature(polygon(0, 0, 20, 10), role="floor", height=1.0),
    feature(polygon(0, 0, 10, 10), zone="sales", name="Sales floor"), feature(polygon(10, 0, 20, 10), zone="store"),
    feature(point(1, 1), gateway="gw-1", z=2.3), feature(point(19, 1), gateway="gw-2", z=2.3), feature(point(10, 9), gateway="gw-3", z=2.3)]}


def count(expected, low, high):
    return {"expected": expected, "low": low, "high": high}


def zone(name, **more):
    return {"v": 1, "kind": "zone", "site": day.SITE, "zone": name, "at": day.NOW, "rev": 1, "state": "degraded", "reasons": [DEAF],
            "visitors": count(0, 0, 0), "things": count(0, 0, 0), "durable": True} | more


def hears(name, level, m, low, high, proximity):
    return {"gateway": name, "level": level, "m": m, "low": low, "high": high, "proximity": proximity}


def place(beacon, name, **more):
    return {"v": 1, "kind": "place", "site": day.SITE, "beacon": beacon, "name": name, "carrier": "fixed", "at": day.NOW, "rev": 1, "state": "silent",
            "reasons": [], "place": None, "zone": None, "zones": [], "nearest": None, "gateways": []} | more


NOT_LISTENING = hears("gw-3", None, None, None, None, "unknown")


def furnish(site):
    """Gives a fixture the plan."""
    site.plan = PLAN
    site.zones = {one["zone"]: one for one in [zone("sales", visitors=count(4.6, 3, 7), things=count(2, 1, 2)), zone("store", state="unknown", visitors=None, things=None)]}
    site.places = {one["beacon"]: one for one in [
        place(SHELF, "shelf-17", state="known", reasons=[DEAF], place={"x": 4.0, "y": 3.0, "radius": 2.1}, zone="sales",
              zones=[{"zone": "sales", "probability": .98}], nearest={"gateway": "gw-1", "probability": .91},
              gateways=[hears("gw-1", -63, 3.6, 2.2, 5.1, "far"), hears("gw-2", -81, 15.1, 11, 19.4, "far"), NOT_LISTENING]),
        place(CART, "cart-2", carrier="asset", state="known", place={"x": 10.4, "y": 5.0, "radius": 4.4},
              zones=[{"zone": "store", "probability": .55}, {"zone": "sales", "probability": .45}], nearest={"gateway": "gw-2", "probability": .6},
              gateways=[hears("gw-2", -72, 8.4, 4, 13, "far")]),
        place(DOOR, None, state="distance", gateways=[hears("gw-2", -60, 2.2, .6, 7.3, "unknown")]),
        place(LOST, "shelf-9", state="unknown", reasons=[DEAF], gateways=[NOT_LISTENING])]}


def mark_faults(site):
    """A missing beacon, a moved one, a clone, and one without a row."""
    at = lambda x, y: {"registered": {"zone": "sales", "x": x, "y": y, "z": None}}
    states = [beacon(7, "moved", 3, "shelf-17 is in another place.", name="shelf-17", why={"score": 5.1, "threshold": 3.0, "gateways": []}, **at(9, 8)),
              beacon(8, "clone", 0, "Several devices send cart-2.", name="cart-2", **at(12, 5)),
              beacon(9, "ok", name=None, **at(None, None)),
              beacon(10, "missing", 1, "shelf-9 is missing.", name="shelf-9", why={"silenceMs": 1_000_000, "deadlineMs": 900_000, "gateways": ["gw-2"]}, **at(15, 3))]
    site.beacons = {one["beacon"]: one for one in states}
    site.beacon_events = [
        stranger(70, day.NOW - day.HOUR) | {"why": {"reports": 3, "gateways": ["gw-2"]}},
        stranger(7, day.NOW - 2 * day.HOUR) | {"event": "moved", "sentence": "shelf-17 has moved."}]


@needs_fixture
class PlanTests(PageCase):
    def setUp(self):
        super().setUp()
        furnish(self.fixture)

    def rows(self, selector):
        return self.browser.run("return [...document.querySelectorAll(arguments[0])].map(row => [...row.cells].map(cell => cell.innerText.trim()))", selector)

    def drawn(self, selector):
        """The texts of the drawing."""
        return self.browser.run("return [...document.querySelectorAll(arguments[0])].map(one => one.textContent)", selector)

    def show(self, item="", **look):
        self.open(f"#/plan{item}", ready=".plan-drawing [data-beacon]", **look)

    def test_the_tables_say_all_that_the_drawing_shows(self):
        self.show()
        self.assertEqual(self.one("h1"), "4 beacons, 2 with a place; 1 unknown; gw-3 does not hear")
        self.assertEqual(self.rows("tr[data-zone]"), [
            ["Sales floor", "less certain", "4.6 (3 to 7)", "2.0 (1 to 2)"], ["store", "unknown", "unknown", "unknown"]])
        self.assertEqual(self.rows("tr[data-beacon]"), [
            ["42/9", "distance only", "unknown", "unknown", "unknown", "gw-2: 2.2 m (0.6 to 7.3 m)"],
            ["cart-2", "known", "store 55 %, Sales floor 45 %", "10.4, 5.0, within 4.4 m", "gw-2 (60 %)", "gw-2: 8.4 m (4.0 to 13.0 m)"],
            ["shelf-9", "unknown", "unknown", "unknown", "unknown", "unknown"],
            ["shelf-17", "known", "Sales floor (98 %)", "4.0, 3.0, within 2.1 m", "gw-1 (91 %)", "gw-1: 3.6 m (2.2 to 5.1 m)"]])

    def test_beacons_are_areas_and_a_deaf_gateway_is_hatched_and_named(self):
        self.show()
        scale = self.browser.run("const box = document.querySelector('.floor').getBBox(); return box.width / 20")
        circles = dict(self.browser.run("return [...document.querySelectorAll('a[data-beacon]')].map(one => [one.dataset.beacon, [one.querySelector('circle').r.baseVal.value,"
                                        "getComputedStyle(one.querySelector('circle')).strokeDasharray !== 'none']])"))
        self.assertEqual(set(circles), {SHELF, CART, DOOR})
        self.assertAlmostEqual(circles[SHELF][0], 2.1 * scale, delta=.1)
        # Of a distance only, a dashed circle around the gateway.
        self.assertAlmostEqual(circles[DOOR][0], 7.3 * scale, delta=.1)
        self.assertEqual([circles[one][1] for one in (SHELF, CART, DOOR)], [False, False, True])
        fills = dict(self.browser.run("return [...document.querySelectorAll('g[data-gateway]')].map(one => [one.dataset.gateway, getComputedStyle(one.querySelector('rect')).fill])"))
        self.assertIn("url", fills["gw-3"])
        self.assertNotIn("url", fills["gw-1"])
        self.assertIn("gw-3 (deaf)", self.drawn(".gateway-name"))

    def test_a_chosen_beacon_shows_its_levels_and_shades_the_zones(self):
        self.show()
        self.browser.run("document.querySelector('a.beacon[data-beacon$=\"42/7\"]').focus(); document.activeElement.dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        self.eventually(".plan-detail h2", ["shelf-17"])
        self.assertEqual(self.rows(".plan-detail tbody tr"), [
            ["gw-1", "-63 dBm", "3.6 m", "2.2 to 5.1 m", "far"], ["gw-2", "-81 dBm", "15.1 m", "11.0 to 19.4 m", "far"],
            ["gw-3", "does not listen", "unknown", "unknown", "unknown"]])
        self.assertIn("gw-3 does not hear.", self.text(".plan-detail p")[0])
        self.browser.wait("return document.querySelector('[data-zone=sales] .zone-shape')?.getAttribute('fill-opacity') === '0.39'")
        self.assertEqual(self.drawn(".zone-name"), ["Sales floor: 98 %", "store: 0 %"])

    def test_news_move_a_beacon_and_keep_the_choice(self):
        self.show(f"/{SHELF.replace('/', '%2F')}")
        self.fixture.publish("place", self.fixture.places[SHELF] | {"place": {"x": 15.0, "y": 3.0, "radius": 3.0}, "zone": "store",
                                                                     "zones": [{"zone": "store", "probability": .93}]})
        self.eventually("tr.chosen td:nth-of-type(3)", ["15.0, 3.0, within 3.0 m"])
        self.assertEqual(self.drawn(".zone-name"), ["Sales floor: 0 %", "store: 93 %"])
        # News leave the focus on the same beacon.
        self.browser.run("document.querySelector('svg a[data-beacon$=\"42/8\"]').focus()")
        self.fixture.publish("place", self.fixture.places[CART] | {"place": {"x": 12.0, "y": 5.0, "radius": 4.4}})
        self.eventually("tr[data-beacon$='42/8'] td:nth-of-type(3)", ["12.0, 5.0, within 4.4 m"])
        self.assertEqual(self.browser.run("return document.activeElement.dataset.beacon"), CART)
        self.fixture.publish("zone", self.fixture.zones["sales"] | {"state": "unknown", "visitors": None, "things": None})
        self.eventually("tr[data-zone=sales] td:nth-of-type(2)", ["unknown"])

    def test_a_label_is_sent_and_a_refusal_is_shown(self):
        self.fixture.label_answer = (200, {"until": day.NOW})
        self.show(f"/{SHELF.replace('/', '%2F')}")
        self.browser.run("document.querySelector('.plan-form button').click()")
        self.browser.wait("return document.querySelector('[role=status]').innerText.startsWith('The gateways note what they hear of shelf-17 until ')")
        self.assertEqual(self.fixture.labels, [{"beacon": SHELF, "zone": "sales", "seconds": 60}])
        self.fixture.label_answer = (409, {"detail": "shelf-17 stands for a label already; ask again after its end."})
        self.browser.run("document.querySelector('.plan-form button').click()")
        self.eventually("[role=status]", ["shelf-17 stands for a label already; ask again after its end."])
        self.allowed = ["409"]

    def test_faults_are_marked_by_shape_and_word(self):
        mark_faults(self.fixture)
        self.show()
        self.browser.wait("return document.querySelectorAll('.mark').length === 4")
        self.assertIn("1 missing; 1 several devices; 1 another place; 1 not registered", self.one("h1"))
        marks = {one[0]: one[1:] for one in self.browser.run("return [...document.querySelectorAll('.mark')].map(one => [one.dataset.mark, one.querySelector('text').textContent, one.querySelector('path').getAttribute('d'), one.getAttribute('aria-label')])")}
        self.assertEqual({name: words for name, (words, *_) in marks.items()}, {
            "moved": "shelf-17, before", "clone": "cart-2: several devices", "missing": "shelf-9: missing", "unregistered": "1 not registered"})
        self.assertEqual(len({shape for _, shape, _ in marks.values()}), 4, "a shape each")
        self.assertEqual(marks["missing"][2], "shelf-9: missing. shelf-9 is missing.")
        # From the place of the registry, 9 and 8 m, to the area around 4 and 3 m.
        [scale, low, top] = self.browser.run("const box = document.querySelector('.floor').getBBox(); return [box.width / 20, box.x, box.y]")
        # The arrow follows the place, which may come after the states.
        self.browser.wait("return document.querySelector('.mark-arrow') !== null")
        line = self.browser.run("return document.querySelector('.mark-arrow').getAttribute('d')").split("L")[1].split()[0]
        self.assertEqual([round(float(one)) for one in line.split(",")], [round(low + 4 * scale), round(top + 7 * scale)])
        states = {row[0]: row[1] for row in self.rows("tr[data-beacon]")}
        self.assertEqual(states, {"42/9": "distance only", "cart-2": "known several devices", "shelf-9": "unknown missing", "shelf-17": "known another place"})
        self.assertIn("has no row in the registry", self.one(".plan-others"))

    def test_a_mark_is_reached_with_the_keyboard_and_tells_the_last_day(self):
        mark_faults(self.fixture)
        self.show(size=(390, 844))
        self.browser.wait("return document.querySelectorAll('.mark').length === 4")
        self.assertTrue(self.browser.run("return document.documentElement.scrollWidth <= 390"))
        self.assertEqual(self.drawn(".mark-name"), ["before", "several devices", "missing", "1 not registered"])
        reach = self.browser.run("return [...document.querySelectorAll('.reach')].map(one => one.getBoundingClientRect().width)")
        self.assertTrue(min(reach) >= 24, "a finger reaches a mark")
        self.browser.run("document.querySelector('.mark[data-mark=moved]').focus(); document.activeElement.dispatchEvent(new MouseEvent('click', {bubbles: true}))")
        self.eventually(".plan-detail h2", ["shelf-17 another place"])
        self.assertIn("Its levels differ by 5.1 deviations from the usual ones; another place from 3 on.", self.text(".plan-detail p"))
        self.browser.wait("return document.querySelectorAll('.beacon-events li').length === 1")
        [event] = self.text(".beacon-events li")
        self.assertTrue(event.endswith("another place shelf-17 has moved."), event)
        # News leave the focus on the mark.
        self.browser.run("document.querySelector('.mark[data-mark=missing]').focus()")
        self.fixture.publish("beacon", self.fixture.beacons[SHELF] | {"state": "ok", "fault": "no", "work": None, "why": None})
        self.browser.wait("return document.querySelectorAll('.mark').length === 3")
        self.assertEqual(self.browser.run("return document.activeElement.dataset.mark"), "missing")

    def test_labels_are_listed_and_removed(self):
        label = {"site": day.SITE, "name": "shelf-17", "beacon": SHELF, "zone": "sales", "from": day.NOW - 2 * day.MINUTE, "until": day.NOW - day.MINUTE, "state": "learnt", "x": 4.0, "y": 3.0}
        self.fixture.label_list = [label | {"id": "0a"}, label | {"id": "0b", "zone": "store", "state": "unheard"}]
        self.show()
        self.browser.wait("return document.querySelectorAll('tr[data-label]').length === 2")
        rows = self.rows("tr[data-label]")
        self.assertEqual([[row[0], row[1], row[3], row[4]] for row in rows], [["shelf-17", "store", "not heard", "Remove"], ["shelf-17", "Sales floor", "learnt", "Remove"]])
        self.browser.run("document.querySelector('tr[data-label=\"0b\"] button').click()")
        self.eventually("[role=status]", ["The label of shelf-17 is removed."])
        self.browser.wait("return document.querySelectorAll('tr[data-label]').length === 1")
        self.assertEqual([one["id"] for one in self.fixture.label_list], ["0a"])

    def test_news_leave_the_choice_of_a_zone_as_it_is(self):
        self.show(f"/{SHELF.replace('/', '%2F')}")
        self.assertEqual(self.browser.run("return document.querySelector('.plan form select').value"), "sales")
        self.browser.run("document.querySelector('.plan form select').value = 'store'")
        self.fixture.publish("place", self.fixture.places[SHELF] | {"place": {"x": 5.0, "y": 3.0, "radius": 3.0}})
        self.eventually("tr.chosen td:nth-of-type(3)", ["5.0, 3.0, within 3.0 m"])
        self.assertEqual(self.browser.run("return document.querySelector('.plan form select').value"), "store")
        self.assertIsNone(self.browser.run("return document.querySelector('[aria-live] form')"))

    def test_a_beacon_without_a_zone_has_no_zone_chosen(self):
        self.show(f"/{CART.replace('/', '%2F')}")
        self.browser.run("document.querySelector('.plan form button').click()")
        self.assertEqual(self.browser.run("return document.querySelector('.plan form select').value"), "")
        self.assertEqual(self.fixture.labels, [])

    def test_without_a_token_there_are_zones_and_no_beacons(self):
        self.fixture.token = "secret"
        self.open("#/plan", ready=".plan-drawing [data-zone]")
        self.eventually("tr[data-zone=sales] td:nth-of-type(2)", ["4.6 (3 to 7)"])
        self.browser.wait("return document.querySelector('.plan .caption')?.innerText.startsWith('Places of beacons need a token')")
        self.assertEqual(self.browser.run("return document.querySelectorAll('[data-beacon]').length"), 0)
        self.allowed = ["401"]

    def test_a_phone_shows_the_drawing_without_scrolling_sideways(self):
        self.show(size=(390, 844))
        self.assertTrue(self.browser.run("return document.documentElement.scrollWidth <= 390"))
        [[left, _, width, _]] = self.boxes(".plan-drawing")
        self.assertTrue(left >= 0 and left + width <= 390)
        names = self.browser.run("return [...document.querySelectorAll('tr[data-beacon] td')].map(cell => getComputedStyle(cell, '::before').content)")
        self.assertIn('"Nearest gateway"', names)

    def test_without_a_plan_labels_make_zones(self):
        mark_faults(self.fixture)
        self.fixture.plan, self.fixture.zones, self.fixture.places = None, {}, {}
        self.open("#/plan", ready="tr[data-beacon]")
        self.eventually("nav a", ["Now", "Queue", "Beacons", "Plan", "Gateways"])
        self.assertIn("The site has no plan: nothing is drawn", self.one(".plan-missing"))
        self.assertIsNone(self.browser.run("return document.querySelector('.plan-drawing')"))
        self.assertEqual([row[:2] for row in self.rows("tr[data-beacon]")][-1], ["shelf-17", "unknown another place"])
        self.browser.run("document.querySelector('tr[data-beacon$=\"42/7\"] a').click()")
        self.eventually(".plan-detail h2", ["shelf-17 another place"])
        self.fixture.label_answer = (200, {"until": day.NOW})
        self.browser.run("document.querySelector('.plan-form button').click()")
        self.assertEqual(self.fixture.labels, [], "a label needs a zone")
        self.browser.run("document.querySelector('.plan-form input').value = 'aisle-3'; document.querySelector('.plan-form button').click()")
        self.browser.wait("return document.querySelector('[role=status]').innerText.startsWith('The gateways note what they hear of shelf-17 until ')")
        self.assertEqual(self.fixture.labels, [{"beacon": SHELF, "zone": "aisle-3", "seconds": 60}])
        # The first labels are learnt.
        self.fixture.publish("zone", zone("aisle-3", state="ok", reasons=[]))
        self.fixture.publish("place", place(SHELF, "shelf-17", state="zoned", zone="aisle-3", zones=[{"zone": "aisle-3", "probability": .92}],
                                            gateways=[hears("gw-1", -63, None, None, None, "unknown")]))
        self.eventually("tr[data-beacon$='42/7'] td:nth-of-type(2)", ["aisle-3 (92 %)"])
        self.assertEqual(self.rows(".plan-detail tbody tr"), [["gw-1", "-63 dBm", "unknown", "unknown", "unknown"]])
        self.assertIn("The site has no plan: the zone follows from labels alone", " ".join(self.text(".plan-detail p")))
        self.assertTrue(self.browser.run("return document.documentElement.scrollWidth <= innerWidth"))
        self.allowed = ["404"]

    def test_a_site_without_a_plan_has_no_link(self):
        self.open()
        self.eventually("nav a", ["Now", "Queue", "Plan", "Gateways"])
        self.fixture.zones, self.fixture.plan = {}, None
        self.browser.open("about:blank")
        self.open()
        self.eventually("nav a", ["Now", "Queue", "Gateways"])

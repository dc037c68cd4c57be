"""The page before a real server that a real broker feeds: what it shows is what the API says, also after a restart and a fault."""

import functools
import operator
import threading
import time
import unittest

import day
import expect
import fixture
import live
from browser import PATIENCE
from page_case import PageCase, Target
from shape import Shape
from test_stream import LOST

MINUTE, HOUR = 60_000, 3_600_000
PARTS = {"wait": ".wait summary", "people": ".people summary", "tills": ".tills summary", "leavers": ".leavers summary", "target": ".target", "state": ".state",
         "trend": ".trend-name summary"}
TILES = """const text = one => one && one.checkVisibility() ? one.innerText.trim() : null
return [...document.querySelectorAll('.tile')].map(tile => [tile.dataset.queue, tile.dataset.rev,
  Object.fromEntries(Object.entries(arguments[0]).map(([name, selector]) => [name, text(tile.querySelector(selector))]))])"""
ROWS = "return [...document.querySelectorAll(arguments[0])].map(row => [...row.cells].map(cell => cell.textContent.trim()))"
STRIPS = """return [...document.querySelectorAll('.strip')].map(strip => [strip.dataset.gateway,
  [...strip.querySelectorAll('.strip-run:not(.unknown) title')].map(one => one.textContent)])"""
# Members that a document may lack.
OPTIONAL = {"restated", "until", "truth"}
# Objects that an hour of a real server may lack. Their members are those of its description, at this place of its schemas.
DESCRIBED = {
    "minutes[].periods[].restated": "StoredMinute/properties/restated",
    "minutes[].periods[].restated.reasons[]": "Minute/properties/reasons/items",
    "typical[].slots[]": "Typical/properties/slots/items",
}


class LiveCase(PageCase):
    """One server for all tests of a class."""

    live = None
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        program = Target.program or live.found_program()
        if Target.url or not program:
            raise unittest.SkipTest("the page before a real server: " + ("--url names another server" if Target.url else "no sightline-server is built"))
        cls.live = live.Live(program)
        cls.addClassCleanup(cls.live.end)

    def serve(self):
        return self.live.url

    def documents(self):
        return self.live.queues()

    def eventual(self, attempt):
        """Compares what the API says and what the page shows until they are equal, since the numbers go on. `attempt` returns both."""
        sides, end = None, time.monotonic() + PATIENCE
        while time.monotonic() < end:
            sides = attempt() or sides
            if sides and sides[0] == sides[1]:
                return
            time.sleep(0.05)
        self.assertIsNotNone(sides, "the page never showed what the API said at that moment")
        self.assertEqual(sides[1], sides[0])

    def now_equals_api(self):
        """Compares the view Now with the documents of the same revisions."""
        def attempt():
            before = self.documents()
            seen = self.browser.run(TILES, PARTS)
            said, foot = self.one("h1"), self.one("footer")
            if before != self.documents() or sorted((name, rev) for name, rev, _ in seen) != sorted((one["queue"], str(one["rev"])) for one in before):
                return None
            shares = [(one["queue"], f"{one['queue']}: {expect.share(one).replace(' %', ' % of people', 1)} carry a beacon, as configured." in foot if one["coverage"]
                       else f"{one['queue']}: lengths count people with a beacon only" in foot) for one in before]
            tiles = {one["queue"]: expect.tile(one, self.zone) for one in before}
            return ([expect.sentence(before), expect.order(before), tiles, [(name, True) for name, _ in shares]],
                    [said, [name for name, _, _ in seen], {name: texts for name, _, texts in seen}, shares])
        self.eventual(attempt)

    def opened(self, path, name, place, rows, **look):
        """Opens a page. Returns what the API said meanwhile, each time, and the rows of a table."""
        answers, is_open = [], threading.Event()

        def ask():
            while not is_open.wait(0.1):
                answers.append(self.live.get(path)[name])
        asking = threading.Thread(target=ask)
        asking.start()
        try:
            self.open(place, **look)
            return answers, self.browser.run(ROWS, rows)
        finally:
            is_open.set()
            asking.join()

    def plain_equals_api(self):
        def attempt():
            answers, rows = self.opened(f"sites/{live.SITE}/queues", "queues", "", "tbody tr", ready="table", script=False)
            return closest([[expect.plain(one, self.zone) for one in documents] for documents in answers], rows)
        self.eventual(attempt)

    def gateways_equal_api(self):
        """An event of the stream has a gateway's new numbers every ten seconds: each look opens the page again."""
        def attempt():
            answers, rows = self.opened(f"sites/{live.SITE}/gateways", "gateways", "#/gateways", ".gateway-table tbody tr")
            now = max(one["at"] for one in self.documents())
            return closest([[expect.gateway(one, self.zone, now) for one in gateways] for gateways in answers], rows)
        self.eventual(attempt)


def closest(texts, seen):
    """Those of the API's texts that have been seen, else the last ones; and what has been seen."""
    return (seen if seen in texts else texts[-1], seen) if texts else None


class LiveTests(LiveCase):
    def test_the_view_now_has_the_numbers_of_the_api(self):
        self.open()
        self.now_equals_api()
        self.assertTrue(all(one["length"] and one["wait"] for one in self.documents()), "each queue is known")
        first = self.browser.run(TILES, PARTS)
        self.browser.wait("return [...document.querySelectorAll('.tile')].some(tile => !arguments[0].includes(tile.dataset.rev))", [rev for _, rev, _ in first])
        self.now_equals_api()

    def test_the_hour_of_a_queue_is_the_history_of_the_api(self):
        self.open("#/queues/checkout", ready=".minutes")
        self.browser.run("document.querySelector('details.table').open = true")
        place, counts = f"sites/{live.SITE}/queues/checkout", []

        def attempt():
            latest = -(-max(one["at"] for one in self.documents()) // MINUTE) * MINUTE
            periods = self.live.get(f"{place}/history?from={latest - HOUR}&to={latest}&step=minute")["periods"]
            rows = self.browser.run(ROWS, ".minutes tbody tr")
            counts[:] = [sum(one["state"] == kind for one in periods) for kind in ("ok", "unknown")]
            # The fault before a doubtful minute is in the evidence, not in the minute.
            hidden = "people may have joined unseen"
            return [expect.minute(one, self.zone) for one in periods], [[cell.split(hidden)[0] + hidden if hidden in cell else cell for cell in row[:6]] for row in rows]
        self.eventual(attempt)
        self.assertGreater(counts[0], 15, "minutes with numbers")
        self.assertGreater(counts[1], 3, "minutes without, while gateways learned")

    def test_the_lanes_and_the_strips_are_the_evidence_of_the_api(self):
        self.open("#/queues/checkout", ready=".lanes")
        self.assertEqual(len(self.boxes(".lane-title")), 3)
        self.assertTrue(all(width > 100 for _, _, width, _ in self.boxes(".lane-length .line")[-1:]))
        place = f"sites/{live.SITE}/queues/checkout"

        def attempt():
            latest = -(-max(one["at"] for one in self.documents()) // MINUTE) * MINUTE
            heard = self.live.get(f"{place}/evidence?from={latest - HOUR}&to={latest}")["gateways"]
            seen = dict(self.browser.run(STRIPS))
            # The last run goes on. The page may know it for some seconds less.
            runs = {one["gateway"]: [expect.run(one["gateway"], run, self.zone) for run in one["runs"] if run[2] != "unknown"][:-1] for one in heard}
            return runs, {gateway: titles[:-1] for gateway, titles in seen.items()}
        self.eventual(attempt)
        self.assertEqual([name for name, _ in self.browser.run(STRIPS)], ["entry-1", "till-1", "till-2"])

        def visits():
            latest = -(-max(one["at"] for one in self.documents()) // MINUTE) * MINUTE
            answer = self.live.get(f"{place}/visits?from={latest - HOUR}&to={latest}")
            left = answer["visits"] + answer["provisional"]
            served = [one for one in left if one["how"] == "served"]
            joined = [one for one in served if one["entered"] >= latest - HOUR]
            return ([len(left) - len(served) + len(served) + len(joined), True], [len(self.boxes(".visit")), len(served) > 10])
        self.eventual(visits)

    def test_the_present_of_a_queue_is_the_apis(self):
        self.open("#/queues/bakery", ready=".queue-now .wait")

        def attempt():
            before = self.live.get(f"sites/{live.SITE}/queues/bakery")
            seen = [self.text(f".queue-now {part} summary") for part in (".wait", ".people")]
            # On a busy machine, messages are late, and the queue is unknown for a moment.
            if before["state"] == "unknown" or before != self.live.get(f"sites/{live.SITE}/queues/bakery"):
                return None
            texts = expect.tile(before, self.zone)
            return [[texts["wait"]], [texts["people"]]], seen
        self.eventual(attempt)

    def test_the_view_gateways_has_the_numbers_of_the_api(self):
        self.gateways_equal_api()
        self.assertEqual(self.text(".gateway-table tbody th"), ["till-2", "entry-1", "entry-2", "till-1", "till-3"], "worst first")
        self.assertEqual(self.one("h1"), "1 of 5 gateways needs attention")
        # The numbers of an open page go on.
        script = """return [...document.querySelectorAll('[data-name="Reports a second"]')].map(cell => cell.textContent).join()"""
        before = self.browser.run(script)
        self.browser.wait(script.replace("return ", "return arguments[0] !== ", 1), before, what="no later numbers")

    def test_without_javascript_the_table_has_the_numbers_of_the_api(self):
        self.plain_equals_api()

    def test_the_stream_survives_a_kill_of_the_server(self):
        self.allowed = LOST
        self.open()
        self.now_equals_api()
        self.browser.run("window.isTheSame = true")
        before = {one["queue"]: one["at"] for one in self.documents()}
        self.live.server.end()
        self.addCleanup(self.live.server.ensure)
        self.browser.wait("return !document.getElementById('stale').hidden", what="no stale banner")
        self.assertRegex(self.one("#stale"), r"^Stale since \w{3} \d+ \w+ \d{4}, \d\d:\d\d:\d\d( \(\S+\))?: the server does not answer")
        self.assertEqual(len(self.text(".tile .wait summary")), 2, "the last numbers stay")
        self.live.server.ensure()
        self.browser.wait("return document.getElementById('stale').hidden", what="the stale banner stays")
        live.bench.eventually(lambda: self.live.is_settled() and all(one["at"] > before[one["queue"]] for one in self.documents()), "numbers of a later time")
        self.now_equals_api()
        self.assertTrue(self.browser.run("return window.isTheSame === true"), "the page was loaded again")


class SilentGatewayTests(LiveCase):
    """The only gateway at a till stops."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.known = cls.real()
        cls.live.feed.silent.add("till-3")

    @classmethod
    def real(cls):
        """What the server answers, by route."""
        at, get = max(one["at"] for one in cls.live.queues()), cls.live.get
        return answers(live.SITE, ["checkout", "bakery"], get, at) | {"stream": cls.live.snapshot()}

    def setUp(self):
        super().setUp()
        live.bench.eventually(self.is_silent, "an unknown queue")

    def is_silent(self):
        """Whether the queue is unknown since its gateway counts as silent. A doubtful tag may make it unknown before."""
        good, bad = self.documents()
        return (good["state"], bad["state"]) == ("ok", "unknown") and bad["at"] - bad["reasons"][0]["since"] >= live.SILENT_MS

    def test_the_queue_is_unknown_and_not_empty(self):
        self.open()
        self.now_equals_api()
        self.assertRegex(self.one(".tile[data-queue='bakery'] .state"), r"^Unknown since \d\d:\d\d: messages of till-3 are missing$")
        self.assertNotRegex(self.one(".tile[data-queue='bakery']"), r"\b\d+ (people|person|seconds?|minutes?)\b(?<!30 minutes)")
        self.assertRegex(self.one("h1"), "^Two queues, one unknown, the other ")

    def test_the_gateway_sends_no_messages(self):
        self.gateways_equal_api()
        self.assertEqual(self.text("tr[data-gateway=till-3] .gateway-state"), ["no messages"])

    def test_the_plain_table_says_unknown(self):
        self.plain_equals_api()
        self.assertIn("unknown", self.browser.run(ROWS, "tbody tr")[1])
        for width in (320, 390):
            self.open(ready="table", script=False, size=(width, 800))
            self.assertEqual(self.browser.run("return document.documentElement.scrollWidth"), width)

    def test_the_fixtures_documents_have_the_shape_of_the_servers(self):
        model = fixture.Fixture().start()
        self.addCleanup(model.stop)
        get = lambda path: live.read(f"{model.url}api/v1/{path}")
        ours, theirs = Shape(), Shape()
        for route, value in (answers(day.SITE, list(day.QUEUES), get, day.NOW) | {"stream": model.snapshot()}).items():
            ours.see(value, route)
        for known in (self.known, self.real()):
            for route, value in known.items():
                theirs.see(value, route)
        self.assertEqual(ours.differences(theirs, OPTIONAL), [])
        self.assertLessEqual(set(theirs.unseen(ours)), set(DESCRIBED), "objects that the server does not have")
        schemas = self.live.get("openapi.json")["components"]["schemas"]
        for place, path in DESCRIBED.items():
            described = functools.reduce(operator.getitem, path.split("/"), schemas)
            self.assertEqual(ours.members[place], set(described["properties"]), place)


def answers(site, names, get, at):
    """The answers of all routes of a site that the page uses; those of several queues in lists."""
    span = f"from={at - HOUR}&to={at}"
    parts = {"queue": "", "minutes": f"/history?{span}&step=minute", "hours": f"/history?{span}&step=hour",
             "visits": f"/visits?{span}", "evidence": f"/evidence?{span}", "typical": "/typical?weekday=6"}
    queues = {name: [get(f"sites/{site}/queues/{queue}{path}") for queue in names] for name, path in parts.items()}
    return queues | {"sites": get("sites"), "queues": get(f"sites/{site}/queues"), "gateways": get(f"sites/{site}/gateways")}

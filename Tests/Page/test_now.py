"""The view Now: its numbers are the API's, and what is unknown is not 0."""

import math
import re

import day
import expect
from page_case import PageCase, needs_fixture


class NowTests(PageCase):
    def documents(self):
        return self.api(f"sites/{self.site}/queues")["queues"]

    def test_each_tile_has_the_numbers_of_the_api(self):
        self.open()
        for name in [one["queue"] for one in self.documents()]:
            with self.subTest(queue=name):
                self.tile_equals_api(name)

    def tile_equals_api(self, name):
        """Compares a document and a tile of one revision; a live server goes on in between."""
        tile = f".tile[data-queue='{name}']"
        for _ in range(100):
            value = self.api(f"sites/{self.site}/queues/{name}")
            seen = self.browser.run(
                "const tile = document.querySelector(arguments[0]), text = name => { const one = tile.querySelector(name); "
                "return one && one.checkVisibility() ? one.innerText.trim() : null }; return {rev: tile.dataset.rev, wait: text('.wait summary'), "
                "people: text('.people summary'), tills: text('.tills summary'), leavers: text('.leavers summary'), state: text('.state')}", tile)
            if seen["rev"] == str(value["rev"]):
                break
        self.assertEqual(seen["rev"], str(value["rev"]))
        texts = expect.tile(value, self.zone)
        self.assertEqual(seen, {name: texts[name] for name in seen if name != "rev"} | {"rev": str(value["rev"])})

    @needs_fixture
    def test_one_sentence_says_it_all_and_the_queues_keep_their_configured_order(self):
        self.open()
        self.assertEqual(self.one("h1"), "Three queues, one unknown, the longest known 10 minutes (7 to 15).")
        self.assertEqual(self.one("h1"), expect.sentence(self.documents()))
        self.assertEqual(self.text(".tile h2"), expect.order(self.documents()))

    @needs_fixture
    def test_the_longest_wait_is_first_only_on_request_and_from_a_minute_on(self):
        def publish(rev, **changed):
            for name, ms in changed.items():
                queue = day.queue_now(name, rev=rev)
                self.fixture.publish("queue", queue | {"wait": queue["wait"] | {"ms": ms, "lowMs": ms, "highMs": ms}})
                self.browser.wait(f"return document.querySelector('.tile[data-queue={name}]').dataset.rev === '{rev}'")
        names = lambda: [name for name in self.text(".tile h2") if name != "returns"]
        self.open()
        configured = names()
        first, second = configured
        publish(901, **{first: 300_000, second: 900_000})
        self.assertEqual(names(), configured)
        self.browser.run("document.querySelector('.choice input').click()")
        self.assertEqual(names(), [second, first])
        publish(902, **{second: 270_000})
        self.assertEqual(names(), [second, first], "half a minute moves nothing")
        publish(903, **{second: 240_000})
        self.assertEqual(names(), [first, second])
        self.open("?wall")
        self.assertEqual(names(), configured)
        self.assertFalse(self.browser.run("return document.querySelector('.choice').checkVisibility()"))

    @needs_fixture
    def test_only_the_name_of_a_gateway_is_a_link(self):
        self.open()
        self.assertEqual(self.text(".tile[data-queue='returns'] .state a"), ["till-4"])

    @needs_fixture
    def test_the_trend_has_its_times_and_numbers(self):
        self.open()
        trend = day.queue_now("checkout")["trend"]
        self.assertEqual(self.text(".tile[data-queue='checkout'] .trend-axis span"),
                         [expect.clock(at, self.zone) for at in (trend[0][0], trend[-1][0] + 60_000)])
        self.assertEqual(self.text(".tile[data-queue='checkout'] .trend-scale span"), [str(math.ceil(max(people for _, people in trend))), "0"])

    @needs_fixture
    def test_an_unknown_queue_is_hatched_and_has_no_number(self):
        self.open()
        tile = ".tile[data-queue='returns']"
        self.assertEqual(self.one(f"{tile} .state"), "Unknown since 11:45: till-4 does not hear")
        self.assertNotRegex(self.one(tile), r"\b\d+ (people|person|minutes?|seconds?)\b(?<!30 minutes)")
        self.assertIn("repeating-linear-gradient", self.browser.run("return getComputedStyle(document.querySelector(arguments[0])).backgroundImage", tile))
        self.assertEqual(self.browser.run("return document.querySelectorAll(`${arguments[0]} .dot`).length", tile), 0)
        self.browser.run("document.querySelector(`${arguments[0]} .state a`).click()", tile)
        self.browser.wait("return document.querySelector('tr.chosen[data-gateway=till-4]')")

    @needs_fixture
    def test_times_are_the_stores_wherever_the_browser_is(self):
        self.addCleanup(self.browser.move, day.ZONE)
        for zone, note in (("Asia/Tokyo", " (Europe/Berlin)"), ("America/New_York", " (Europe/Berlin)"), ("Europe/Oslo", "")):
            with self.subTest(zone=zone):
                self.browser.move(zone)
                self.fixture.log.clear()
                self.open(ready=".today-hour")
                self.assertEqual(self.one(".tile[data-queue='returns'] .state"), "Unknown since 11:45: till-4 does not hear")
                self.assertRegex(self.one("#link"), rf"^store-042 · \w{{3}} \d+ \w+ \d{{4}}, \d\d:\d\d:\d\d{re.escape(note)}$")
                self.assertIn("the last eight Saturdays", self.one(".today > .legend"))
                self.assertTrue([one for one in self.fixture.log if f"history?from={day.DAY_START}&" in one], self.fixture.log)
                self.browser.run("location.hash = '#/queues/checkout'")
                self.browser.wait("return document.querySelector('.lanes')")
                self.assertIn("Sat 14 Mar, 11:04 to 12:04", self.one("output"))

    @needs_fixture
    def test_the_sentence_says_that_all_queues_are_unknown(self):
        unknown = [day.queue_now(name) | {"state": "unknown", "reasons": [], "length": None, "wait": None} for name in ("checkout", "bakery", "returns")]
        for count, words in ((3, "Three queues, all unknown."), (2, "Two queues, both unknown."), (1, "One queue, unknown.")):
            self.fixture.queues = {one["queue"]: one for one in unknown[:count]}
            self.open()
            self.assertEqual(self.one("h1"), words)

    @needs_fixture
    def test_a_queue_becomes_unknown_and_known_again(self):
        self.open()
        known = day.queue_now("checkout")
        unknown = known | {"rev": 813, "state": "unknown", "since": day.NOW, "reasons": [{"gateway": "entry-1", "state": "silent", "since": day.NOW}],
                           "length": None, "wait": None, "leavers": None, "throughput": None, "tills": None}
        self.fixture.publish("queue", unknown)
        self.eventually(".tile[data-queue='checkout'] .state", ["Unknown since 12:04: messages of entry-1 are missing"])
        self.eventually("h1", ["Three queues, two unknown, the other 5 minutes (3½ to 8)."])
        empty = known | {"rev": 814, "length": {"people": 0.0, "low": 0, "high": 0, "tags": 0}}
        self.fixture.publish("queue", empty)
        self.eventually(".tile[data-queue='checkout'] .people summary", ["0 people (0 to 0)"])

    @needs_fixture
    def test_a_degraded_queue_keeps_its_numbers_and_says_why(self):
        self.open()
        reasons = [{"gateway": "till-2", "state": "lost", "since": day.NOW - 5 * day.MINUTE}]
        self.fixture.publish("queue", day.queue_now("checkout", rev=816) | {"state": "degraded", "since": day.NOW - 5 * day.MINUTE, "reasons": reasons})
        self.eventually(".tile[data-queue='checkout'] .state", ["Less certain since 11:59: messages of till-2 are lost"])
        self.eventually(".tile[data-queue='checkout'] .wait summary", ["10 minutes (7 to 15)"])

    @needs_fixture
    def test_a_fault_that_is_over_is_in_the_past(self):
        self.open()
        for state, words in (("learning", "entry-1 was still learning which beacons are near"), ("deaf", "entry-1 did not hear"), ("unknown", "messages of entry-1 were missing")):
            reasons = [{"gateway": "entry-1", "state": state, "since": day.NOW - 5 * day.MINUTE, "until": day.NOW - day.MINUTE}]
            self.fixture.publish("queue", day.queue_now("checkout", rev=820) | {"state": "degraded", "since": day.NOW - 5 * day.MINUTE, "reasons": reasons})
            self.eventually(".tile[data-queue='checkout'] .state", [f"Less certain since 11:59. A person who is still near may have joined unseen: {words} until 12:03"])

    @needs_fixture
    def test_a_wait_below_five_minutes_is_in_half_minutes(self):
        self.open()
        for rev, one in enumerate(expect.WORDS["waits"], 900):
            queue = day.queue_now("bakery", rev=rev)
            queue["wait"] |= {name: one[name] for name in ("ms", "lowMs", "highMs", "learning")}
            self.assertEqual(f"{expect.wait_value(one['ms'])} {expect.wait_range(one)}", one["words"])
            self.fixture.publish("queue", queue)
            self.eventually(".tile[data-queue='bakery'] .wait summary", [one["words"]])

    @needs_fixture
    def test_durations_and_reasons_have_their_words(self):
        self.open()
        page = lambda call: self.browser.driver.execute_async_script(f"import('/page/words.js').then(words => arguments[0]({call}))")
        for ms, words in expect.WORDS["durations"].items():
            self.assertEqual([page(f"words.duration({ms})"), expect.duration(int(ms))], [words, words])
        for state, (present, past) in expect.WORDS["reasons"].items():
            reason = f"gateway: 'till-2', state: '{state}'"
            self.assertEqual(page(f"[words.reason({{{reason}, until: null}}), words.pastReason({{{reason}}})]"), [present, past])

    @needs_fixture
    def test_a_fault_within_a_minute_has_its_seconds(self):
        self.open()
        since = day.NOW - 5 * day.MINUTE + 7_000
        for until, start, end in ((since + 41_000, "11:59:07", "11:59:48"), (since + day.MINUTE, "11:59", "12:00")):
            queue = day.queue_now("checkout", rev=until) | {"state": "degraded", "since": since, "reasons": [{"gateway": "till-2", "state": "unknown", "since": since, "until": until}]}
            words = f"Less certain since {start}. A person who is still near may have joined unseen: messages of till-2 were missing until {end}"
            self.assertEqual(expect.state(queue, self.zone), words)
            self.fixture.publish("queue", queue)
            self.eventually(".tile[data-queue='checkout'] .state", [words])

    @needs_fixture
    def test_a_range_without_experience_is_a_guess(self):
        self.open()
        for name, rev in (("checkout", 850), ("bakery", 851)):
            queue = day.queue_now(name, rev=rev)
            self.fixture.publish("queue", queue | {"wait": queue["wait"] | {"learning": True, "scored": 0, "meanErrorMs": None}})
        wait = ".tile[data-queue='checkout'] .wait"
        self.eventually(f"{wait} summary", ["10 minutes (7 to 15, a guess)"])
        self.assertEqual(self.one("h1"), "Three queues, one unknown, the longest known 10 minutes (7 to 15, a guess).")
        self.assertEqual(self.one("h1"), expect.sentence(self.documents()))
        self.browser.run("document.querySelector(`${arguments[0]} summary`).click()", wait)
        self.assertNotIn("9 in 10", self.one(f"{wait} .why-text"))
        self.assertEqual(self.text(".tile[data-queue='checkout'] .past"), [])
        self.assertIn("9 of 10 cases, or a guess.", self.one(".key"))

    @needs_fixture
    def test_a_queue_that_has_served_nobody_has_no_forecast(self):
        self.open()
        self.fixture.publish("queue", day.queue_now("bakery", rev=817) | {"wait": None, "leavers": None, "throughput": None})
        self.eventually(".tile[data-queue='bakery'] .wait summary", ["No forecast yet"])
        self.eventually(".tile[data-queue='bakery'] .people summary", ["10 people (7 to 12)"])
        self.eventually("h1", ["Three queues, one unknown, one without a forecast yet, the other 10 minutes (7 to 15)."])
        self.fixture.publish("queue", day.queue_now("checkout", rev=818) | {"wait": None, "leavers": None, "throughput": None})
        self.eventually("h1", ["Three queues, one unknown, two without a forecast yet."])
        self.assertEqual(self.one("h1"), expect.sentence(self.documents()))

    @needs_fixture
    def test_a_server_that_has_just_started_knows_no_time(self):
        unknown = {"state": "unknown", "at": None, "since": None, "reasons": [], "length": None, "wait": None, "leavers": None, "throughput": None, "tills": None, "trend": []}
        self.fixture.queues = {"checkout": day.queue_now("checkout") | unknown}
        self.open()
        self.assertEqual(self.one(".tile .state"), "Unknown: no messages have arrived yet")
        self.assertEqual(self.one("h1"), "One queue, unknown.")

    @needs_fixture
    def test_a_simulations_truth_is_a_thin_line(self):
        self.fixture.truth = {"checkout": [[day.NOW - 40 * day.MINUTE, 9], [day.NOW - 10 * day.MINUTE, 14]]}
        self.open()
        corners = "return document.querySelector(\".tile[data-queue='checkout'] .truth\")?.getAttribute('points').split(' ').map(one => one.split(',').map(Number)) ?? []"
        first = self.browser.wait(corners)
        # The first number holds since before the trend begins; 300 units are 30 minutes.
        self.assertEqual([x for x, _ in first], [0, 200, 200, 300])
        self.assertEqual(first[0][1], first[1][1])
        self.assertGreater(first[1][1], first[2][1])
        self.fixture.publish("truth", {"queue": "checkout", "at": day.NOW - 3 * day.MINUTE, "people": 2})
        self.fixture.publish("queue", day.queue_now("checkout", rev=820))
        self.browser.wait(corners + ".length === 6")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.truth').length"), 1)
        self.assertIn("Thin line: the simulation’s truth.", self.one(".key"))

    @needs_fixture
    def test_people_are_dots_with_a_paler_tail(self):
        self.open()
        for name in ("checkout", "bakery"):
            counts = self.browser.run("const tile = document.querySelector(arguments[0]); return ['.dot:not(.likely):not(.possible)', '.dot.likely', '.dot.possible']"
                                      ".map(kind => tile.querySelectorAll(kind).length)", f".tile[data-queue='{name}']")
            self.assertEqual(counts, expect.dots(day.length(name, day.NOW)))

    @needs_fixture
    def test_a_single_minute_of_the_trend_is_visible(self):
        document = day.queue_now("checkout")
        document["trend"] = [[start, None] for start, _ in document["trend"][:-1]] + [document["trend"][-1]]
        self.fixture.queues["checkout"] = document
        self.open()
        left, _, width, _ = self.boxes(".tile[data-queue='checkout'] .trend .line")[0]
        chart = self.boxes(".tile[data-queue='checkout'] .trend")[0]
        self.assertAlmostEqual(width, chart[2] / 30, delta=1)
        self.assertAlmostEqual(left + width, chart[0] + chart[2], delta=1)
        known = expect.half_up(document["trend"][-1][1])
        self.assertEqual(self.one(".tile[data-queue='checkout'] .trend-name"), f"Last 30 minutes: {expect.counted(known, 'person', 'people')} in line · 29 minutes unknown")

    @needs_fixture
    def test_a_sure_share_has_no_interval(self):
        self.fixture.queues = {"checkout": day.queue_now("checkout") | {"coverage": {"percent": 70.0, "lowPercent": 70.0, "highPercent": 70.0, "source": "configured"}}}
        self.open()
        self.assertIn("70 % of people carry a beacon, as configured.", self.one("#foot"))

    @needs_fixture
    def test_the_trend_of_a_server_that_has_just_started_has_no_minutes(self):
        queue = day.queue_now("checkout", rev=900)
        self.open()
        self.fixture.publish("queue", queue | {"trend": []})
        self.eventually(".tile[data-queue='checkout'] .trend-name", ["No minutes yet"])

    @needs_fixture
    def test_the_trend_says_its_range(self):
        self.open()
        known = [expect.half_up(value) for _, value in day.queue_now("checkout")["trend"]]
        self.assertEqual(self.one(".tile[data-queue='checkout'] .trend-name"), f"Last 30 minutes: {min(known)} to {max(known)} people in line")

    @needs_fixture
    def test_the_trend_without_a_share_is_that_of_people_with_a_beacon(self):
        queue = day.queue_now("checkout", rev=830)
        self.open()
        self.fixture.publish("queue", queue | {"coverage": None})
        name = ".tile[data-queue='checkout'] .trend"
        self.eventually(f"{name}-name", [expect.trend(queue | {"coverage": None})])
        self.assertIn("people with a beacon", self.one(f"{name}-name"))
        self.assertTrue(self.browser.run("return document.querySelector(arguments[0]).getAttribute('aria-label')", name).startswith("People with a beacon in line"))

    @needs_fixture
    def test_a_wall_says_which_minutes_of_the_trend_are_unknown(self):
        queue = day.queue_now("checkout")
        self.fixture.queues["checkout"] = queue | {"trend": [[start, None] for start, _ in queue["trend"][:28]] + queue["trend"][28:]}
        self.open("?wall")
        self.assertTrue(self.one(".tile[data-queue='checkout'] .trend-name").endswith(" · 28 minutes unknown"))

    @needs_fixture
    def test_the_trend_has_a_gap_for_each_unknown_minute(self):
        self.open()
        gaps = lambda name: self.browser.run("return document.querySelectorAll(`.tile[data-queue='${arguments[0]}'] .trend .gap`).length", name)
        self.assertEqual(gaps("returns"), sum(value is None for _, value in day.queue_now("returns")["trend"]))
        self.assertEqual(gaps("bakery"), 0)

    @needs_fixture
    def test_each_number_explains_itself(self):
        self.open()
        wait = ".tile[data-queue='checkout'] .wait"
        self.assertEqual(self.text(f"{wait} .why-text"), [])
        self.assertEqual(self.one(".tile[data-queue='checkout'] .past"), "Past forecasts: off by ½ minute, at a mean wait of 3½ minutes")
        self.browser.run("document.querySelector(`${arguments[0]} summary`).click()", wait)
        text = self.one(f"{wait} .why-text")
        for words in ("from the people in line", "includes the time at the till", "9 in 10", "140 forecasts", "missed by ½ minute", "; 91 % came"):
            self.assertIn(words, text)
        self.browser.run("document.querySelector(`.tile[data-queue='checkout'] .people summary`).click()")
        self.assertIn("8 divided by 30 % is about 27", self.one(".tile[data-queue='checkout'] .people .why-text"))
        self.assertIn("A person who has just joined is counted some seconds later.", self.one(".tile[data-queue='checkout'] .people .why-text"))
        self.assertIn("the range ends above the estimate", self.one(".tile[data-queue='checkout'] .people .why-text"))
        self.assertEqual(self.one(".tile[data-queue='checkout'] .people-line .caption"), "in line")
        self.browser.run("document.querySelector(`.tile[data-queue='checkout'] .leavers summary`).click()")
        leavers = self.one(".tile[data-queue='checkout'] .leavers .why-text")
        for words in ("Few of those who give up are recognised.", "between 12 and 14 were served", "24 an hour (24 to 28)", "waited longer than", "or more)"):
            self.assertIn(words, leavers)
        self.assertEqual(self.text(f"{wait} .why-text"), [], "one explanation at a time")
        self.assertNotIn("truth", self.one(".key"))

    @needs_fixture
    def test_a_range_below_the_number_of_beacons_says_why(self):
        self.open()
        queue = day.queue_now("checkout", rev=819)
        people = ".tile[data-queue='checkout'] .people"
        self.browser.run("document.querySelector(`${arguments[0]} summary`).click()", people)
        self.assertNotIn("passer-by", self.one(f"{people} .why-text"))
        self.fixture.publish("queue", queue | {"length": queue["length"] | {"low": queue["length"]["tags"] - 1}})
        self.browser.wait("return document.querySelector(`${arguments[0]} .why-text`).innerText.includes('A beacon near the line may be a passer-by’s')", people)

    @needs_fixture
    def test_the_error_of_forecasts_is_that_of_the_last_200(self):
        self.open()
        queue = day.queue_now("checkout", rev=818)
        self.fixture.publish("queue", queue | {"wait": queue["wait"] | {"scored": 1500}})
        wait = ".tile[data-queue='checkout'] .wait"
        self.browser.run("document.querySelector(`${arguments[0]} summary`).click()", wait)
        self.browser.wait("return document.querySelector(`${arguments[0]} .why-text`).innerText.includes('The last 200 forecasts missed')", wait)

    @needs_fixture
    def test_the_foot_says_who_carries_a_beacon(self):
        self.open()
        foot = self.one("footer")
        self.assertIn("checkout: 30 % of people (25 to 35 %) carry a beacon, as configured.", foot)
        self.assertIn("returns: lengths count people with a beacon only", foot)
        self.fixture.publish("queue", day.queue_now("checkout", rev=815) | {"littleResidualMs": 4})
        self.browser.wait("return document.querySelector('footer').innerText.includes('do not agree (checkout)')")

    @needs_fixture
    def test_the_self_check_needs_a_visit(self):
        self.open()
        self.assertIn("Self-check passed: the numbers of people in line and their waits agree.", self.one("footer"))
        self.browser.run("document.querySelector('footer .self-check summary').click()")
        self.assertIn("Little’s law", self.one("footer .why-text"))
        for queue in day.QUEUES:
            now = day.queue_now(queue, rev=816)
            if now["leavers"]:
                now["leavers"] |= {"served": 0, "abandoned": 0}
            self.fixture.publish("queue", now)
        self.browser.wait("return !document.querySelector('footer').innerText.includes('Self-check')")

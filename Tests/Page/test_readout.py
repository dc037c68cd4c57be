"""What the crosshair reads of a minute."""

from selenium.webdriver.common.keys import Keys

import day
import expect
from page_case import QueueCase, needs_fixture


@needs_fixture
class ReadoutTests(QueueCase):
    def test_the_minute_that_goes_on_is_not_unknown(self):
        # The server has just begun: two minutes are over, and the third one goes on.
        self.fixture.periods = [day.minute("bakery", at) for at in (day.NOW - 3 * day.MINUTE, day.NOW - 2 * day.MINUTE)]
        self.show("bakery")
        lane = self.boxes(".lane-length .line")[0]
        gaps = self.boxes(".lanes > .gap")
        self.assertEqual(len(gaps), 3, "one in each lane, before the first minute")
        self.assertAlmostEqual(max(left + width for left, _, width, _ in gaps), lane[0], delta=1)
        self.assertAlmostEqual(lane[2] / sum((lane[2], gaps[0][2])), 2 / 59, delta=0.005)
        said = lambda: self.one("[data-readout='In line']")
        self.assertEqual(self.one(".readout-time"), expect.clock(day.NOW - 2 * day.MINUTE, self.zone))
        self.assertNotEqual(said(), "not complete yet")
        self.browser.run("document.querySelector('.cross-slider').focus()")
        self.browser.driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
        self.assertEqual(said(), "not complete yet")

    def test_leavers_of_a_provisional_minute_are_counted(self):
        start = day.NOW - 2 * day.MINUTE
        final = day.visits("bakery", start, start + day.MINUTE)
        last = day.minute("bakery", start) | {"final": False, "served": len(final) + 2, "abandoned": 1}
        self.fixture.periods = [day.minute("bakery", start - day.MINUTE), last]
        self.show("bakery")
        more = " more" * any(one["how"] == "served" for one in final)
        self.assertTrue(self.one("[data-readout='Left']").endswith(f"2{more} served, 1 gave up, not final yet"), self.one("[data-readout='Left']"))
        self.fixture.periods[-1] = last | {"final": True, "served": 0, "abandoned": 0}
        self.show("bakery")
        self.assertNotIn("not final", self.one("[data-readout='Left']"))

    def test_an_unknown_minute_without_a_fault_of_its_own_says_why(self):
        # An earlier fault hides people, perhaps.
        start = day.NOW - 2 * day.MINUTE
        hidden = dict.fromkeys(["length", "joined", "served", "abandoned", "waits", "forecast"])
        self.fixture.periods = [day.minute("bakery", start) | hidden | {"state": "unknown", "final": False}]
        self.show("bakery")
        self.assertEqual(self.one("[data-readout='In line']"), "unknown: people may have joined unseen")

    def test_a_doubtful_minute_names_the_fault_before_it(self):
        evidence = self.api(f"sites/{day.SITE}/queues/checkout/evidence", to=day.NOW, **{"from": day.NOW - day.HOUR})["gateways"]
        [end] = [run[1] for one in evidence for run in one["runs"] if run[2] == "deaf"]
        start = -(-end // day.MINUTE) * day.MINUTE + 2 * day.MINUTE
        hidden = dict.fromkeys(["length", "joined", "served", "abandoned", "waits", "forecast"])
        self.fixture.periods = [day.minute("checkout", start) | hidden | {"state": "unknown", "reasons": [], "final": False}]
        self.show("checkout")
        self.point(start)
        words = f"unknown: people may have joined unseen: till-1 did not hear until {expect.clock(end, self.zone)}"
        self.assertEqual(self.one("[data-readout='In line']"), words)
        self.browser.run("document.querySelector('details.table').open = true")
        self.assertEqual(self.browser.run("return document.querySelector('.minutes tbody tr').cells[1].innerText"), words)

    def test_leavers_are_counted_where_visits_are_not_kept(self):
        self.fixture.keeps_visits, self.allowed = False, ["404"]
        start = day.NOW - 2 * day.MINUTE
        for served, abandoned, words in ((1, 0, "1 served, visits are not kept"), (2, 1, "2 served, 1 gave up, visits are not kept"), (0, 0, "nobody")):
            minute = day.minute("bakery", start) | {"served": served, "abandoned": abandoned}
            self.fixture.periods = [day.minute("bakery", start - day.MINUTE) | {"served": 4, "abandoned": 2}, minute]
            self.show("bakery")
            self.assertEqual(self.one("[data-readout='Left']"), words)
            self.assertIn(f": {served + 4} people with a beacon were served, {abandoned + 2} gave up (visits are not kept)",
                          self.browser.run("return document.querySelector('.lanes').getAttribute('aria-label')"))
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('.lane-title')].map(one => one.textContent)")[1:], ["Waits of leavers are not kept", "Forecast"])

    def test_seconds_that_go_on_are_not_without_messages(self):
        """The present is 20 s after the last published minute. The messages of till-3 ended a minute before that, those of entry-2 come a second late."""
        second, evidence = 1_000, day.evidence
        self.addCleanup(setattr, day, "evidence", evidence)
        self.fixture.queues = {name: day.queue_now(name) | {"at": day.NOW + 20 * second} for name in day.QUEUES}
        ends = {"entry-2": day.NOW + 19 * second, "till-3": day.NOW - day.MINUTE}
        day.evidence = lambda queue, start, end: {"gateways": [{"gateway": name, "role": day.ROLES[name], "runs": [[start, until, "heard"]]} for name, until in ends.items()]}
        self.show("bakery")
        titles = self.browser.run("return [...document.querySelectorAll('.strip-run title')].map(one => one.textContent)")
        self.assertEqual(titles, ["entry-2 heard beacons, 11:05 to 12:04", "till-3 heard beacons, 11:05 to 12:03", "messages of till-3 were missing, 12:03 to 12:04"])
        for start, words in ((day.NOW - day.MINUTE, "messages of till-3 were missing; entry-2 heard beacons"), (day.NOW, "entry-2 heard beacons")):
            self.browser.run("const slider = document.querySelector('.cross-slider'); slider.value = arguments[0]; slider.dispatchEvent(new Event('input'))", start - (day.NOW - 59 * day.MINUTE))
            self.eventually("[data-readout='Gateways']", [words])

    def test_waits_of_leavers_have_a_unit(self):
        self.show()
        visits = self.visits()
        minutes = {one["left"] // day.MINUTE * day.MINUTE for one in visits}
        for start in sorted(minutes)[:6]:
            self.point(start)
            left = lambda how: [expect.exact(one["waitMs"]) for one in visits if one["left"] // day.MINUTE * day.MINUTE == start and one["how"] == how]
            parts = [f"{words} after {' and '.join(left(how))} (min:s)" for how, words in (("served", "served"), ("abandoned", "gave up")) if left(how)]
            self.eventually("[data-readout='Left']", ["; ".join(parts)])

    def test_the_crosshair_moves_with_the_keyboard_and_reads_the_minute(self):
        self.show()
        slider = self.browser.driver.find_element("css selector", ".cross-slider")
        for _ in range(5):
            slider.send_keys(Keys.ARROW_LEFT)
        before, minute, after = self.minutes()[53:56]
        self.assertEqual(len({one["length"]["people"] for one in (before, minute, after)}), 3, "each minute has another length")
        self.eventually(".readout-time", [expect.clock(minute["start"], self.zone)])
        self.assertEqual(self.one("[data-readout='In line']"), f"{expect.people_value(minute['length'])} {expect.people_range(minute['length'])}")
        self.assertIn("heard beacons", self.one("[data-readout='Gateways']"))
        self.assertIn(f"In line: {expect.people_value(minute['length'])}", slider.get_attribute("aria-valuetext"))
        box = self.boxes(".lanes .cross")[0]
        knob = slider.get_attribute("value")
        self.assertEqual(knob, str(54 * day.MINUTE))
        left, right = self.boxes(".lane-length .area")[0][0], self.boxes(".hour")[0]
        self.assertTrue(left < box[0] < right[0] + right[2])

    def test_the_crosshair_names_the_worst_of_its_minute(self):
        """Each gateway is well at the first millisecond of the minute."""
        at, second, evidence = day.NOW - 30 * day.MINUTE, 1_000, day.evidence
        self.addCleanup(setattr, day, "evidence", evidence)
        runs = {"entry-1": [[at, at + 8 * second, "heard"], [at + 8 * second, at + 9 * second, "deaf"], [at + 9 * second, at + 60 * second, "empty"]],
                "till-1": [[at, at + 30 * second, "empty"], [at + 30 * second, at + 60 * second, "heard"]], "till-2": [[at, at + 30 * second, "heard"]]}
        day.evidence = lambda queue, *span: {"gateways": [one | {"runs": runs[one["gateway"]]} for one in evidence(queue, *span)["gateways"]]}
        reasons = [{"gateway": "till-2", "state": "unknown", "ms": 30_000}, {"gateway": "entry-1", "state": "learning", "ms": 1_000}]
        hidden = dict.fromkeys(["length", "joined", "served", "abandoned", "waits", "forecast", "scores", "overTargetMs"])
        self.fixture.periods = [one if one["start"] != at else one | hidden | {"state": "unknown", "reasons": reasons} for one in self.minutes()]
        self.show()
        self.point(at)
        self.eventually("[data-readout='Gateways']", ["messages of till-2 were missing; entry-1 did not hear; till-1 heard beacons"])
        self.assertEqual(self.one("[data-readout='In line']"), "unknown: messages of till-2 were missing and entry-1 was still learning which beacons are near")

    def test_a_minute_that_is_known_in_part_says_so(self):
        at = day.NOW - 30 * day.MINUTE
        self.fixture.periods = [one | ({"knownMs": 45_900} if one["start"] == at else {}) for one in self.minutes()]
        self.show()
        self.point(at)
        self.eventually("[data-readout='Known']", ["45 of 60 seconds"])
        self.point(at + day.MINUTE)
        self.eventually("[data-readout='Known']", [])

    def test_the_crosshair_ends_at_the_values_that_it_reads(self):
        self.show()
        minute = next(one for one in self.minutes() if "restated" in one)
        self.point(minute["start"])
        self.eventually(".readout-time", [expect.clock(minute["start"], self.zone)])
        left, _, width, _ = self.boxes(".lanes .cross")[0]
        mark, _, size, _ = self.boxes(".restated-now")[0]
        self.assertAlmostEqual(left + width, mark + size / 2, delta=1.5)

    def test_the_crosshair_follows_the_pointer_into_the_unknown(self):
        self.show()
        self.browser.run("document.querySelector('.lanes').scrollIntoView({block: 'center'})")
        left, top, width, height = self.boxes(".strip[data-gateway=till-1] .deaf")[0]
        self.browser.command("Input.dispatchMouseEvent", type="mouseMoved", x=left + width / 2, y=top - 30)
        self.browser.wait("return document.querySelector('[data-readout=\"In line\"]').innerText.startsWith('unknown')")
        self.assertEqual(self.one("[data-readout='In line']"), "unknown: till-1 did not hear")
        self.assertEqual(self.one("[data-readout='Forecast']"), "none")
        self.assertIn("till-1 did not hear; entry-1 and till-2 heard beacons", self.one("[data-readout='Gateways']"))
        self.assertEqual(self.text(".readout-box .dot"), [])

"""The charts of today: the waits of its known hours over the typical weekday, and the time over the target."""

import day
import expect
import fixture
from page_case import PageCase, needs_fixture


@needs_fixture
class TodayTests(PageCase):
    def test_a_usual_night_follows_the_usual_evening(self):
        usual = day.typical
        self.addCleanup(setattr, day, "typical", usual)
        slot = {"samples": 8, "medianMs": 90_000, "p90Ms": 120_000, "length": 1.0}
        day.typical = lambda *_: {"weekday": 6, "slots": [slot | {"startMinute": minute} for minute in (60, 75, 12 * 60, 23 * 60)]}
        self.open(ready=".band-row[data-queue='checkout'] .usual-line")
        points = self.browser.run("return document.querySelector(\".band-row[data-queue='checkout'] .usual-line\").getAttribute('points')")
        places = [float(point.split(",")[0]) for point in points.split()]
        hours = (places[3] - places[0]) / (places[3] - places[2]) * 0.25
        self.assertEqual(places, sorted(places))
        self.assertAlmostEqual(hours, 13.25, delta=0.3)

    def test_minutes_over_target_are_in_words(self):
        self.open(ready=".today-hour")
        start = day.DAY_START
        for name, target in (("checkout", "5 minutes"), ("bakery", "6 minutes")):
            periods = self.api(f"sites/{day.SITE}/queues/{name}/history", to=day.NOW, step="hour", **{"from": start})["periods"]
            over, unknown = (sum(values) for values in zip(*((one["overTargetMs"], one["lengthMs"] - one["knownMs"]) for one in periods)))
            rest = f"; {expect.duration(unknown)} unknown" if unknown else ""
            self.eventually(f".band-row[data-queue='{name}'] .over-words summary", [f"{expect.duration(over)} over the target of {target}{rest}." if over else
                                                                                           f"No forecast was over the target of {target}{rest}."])
        self.eventually(".band-row[data-queue='returns'] .over-words summary", ["No target is configured."])

    def test_a_missing_target_and_a_missing_typical_day_say_what_is_needed(self):
        usual = day.typical
        self.addCleanup(setattr, day, "typical", usual)
        day.typical = lambda *_: {"weekday": 6, "slots": []}
        self.open(ready=".today-hour")
        returns = ".band-row[data-queue='returns'] .over-words"
        self.eventually(f"{returns} summary", ["No target is configured. There is no typical Saturday yet."])
        self.browser.run("document.querySelector(`${arguments[0]} summary`).click()", returns)
        text = self.one(f"{returns} .why-text")
        self.assertIn("Set \"targetWaitMs\" of the queue", text)
        self.assertIn("The first one is shown a week after the first Saturday with waits.", text)
        self.assertNotIn("The sum of all times", text)
        self.assertEqual(self.one(".today > .legend"), "Blue: today, from each hour’s median wait up to the wait that one in ten exceeded. Dotted: now.")

    def test_the_charts_of_today_have_the_order_of_the_tiles(self):
        self.open(ready=".today-hour")
        names = lambda kind: self.browser.run("return [...document.querySelectorAll(arguments[0])].map(one => one.dataset.queue)", kind)
        self.assertEqual(names(".band-row"), names(".tile"))
        self.browser.run("document.querySelector('.choice input').click()")
        queue = day.queue_now("bakery", rev=840)
        self.fixture.publish("queue", queue | {"wait": queue["wait"] | {"ms": 3_000_000, "highMs": 3_600_000}})
        self.browser.wait("return document.querySelector('.tile').dataset.queue === 'bakery'")
        self.assertEqual(names(".band-row"), ["bakery", "checkout", "returns"])

    def go_on(self, ms, clock=None):
        """The site goes on by some time, and the page's own clock by `clock`."""
        self.browser.run("const now = performance.now, ms = arguments[0]; performance.now = () => now.call(performance) + ms", ms if clock is None else clock)
        self.fixture.publish("queue", day.queue_now("bakery", rev=day.NOW + ms) | {"at": day.NOW + ms})

    def test_a_day_without_waits_is_loaded_again_after_a_minute(self):
        hour = {"start": day.NOW - 4 * day.MINUTE, "end": day.NOW + 56 * day.MINUTE, "knownMs": 4 * day.MINUTE, "lengthMs": 4 * day.MINUTE, "state": "ok", "overTargetMs": 0,
                "length": {"mean": 0.0, "max": 0}, "joined": 0, "served": 0, "abandoned": 0, "waits": day.spread([]), "forecast": None}
        self.fixture.periods = [hour]
        self.open()
        words = ".band-row[data-queue='checkout'] .over-words summary"
        self.eventually(words, ["No forecast was over the target of 5 minutes. There is no wait today yet."])
        self.fixture.periods = [hour | {"served": 1, "waits": day.spread([90_000])}]
        self.go_on(61_000)
        self.eventually(words, ["No forecast was over the target of 5 minutes."])
        self.browser.wait("return [...document.querySelectorAll('.over-words summary')].every(one => !one.textContent.includes('no wait today'))")
        self.fixture.log.clear()
        self.go_on(61_000)
        self.eventually(".tile[data-queue='bakery'] .wait summary", [expect.tile(day.queue_now("bakery"), self.zone)["wait"]])
        self.assertEqual([one for one in self.fixture.log if "history" in one], [], "a day with waits is loaded each five minutes")

    def test_a_new_hour_is_loaded_when_it_begins(self):
        self.open(ready=".today-hour")
        self.browser.wait("return document.querySelectorAll('.band').length === 3")
        self.fixture.log.clear()
        self.go_on(57 * day.MINUTE, clock=0)
        self.assertTrue(self.fixture.asked(f"to={day.NOW + 116 * day.MINUTE}"))

    def test_the_dotted_line_goes_on_with_the_clock(self):
        self.open(ready=".today-hour")
        self.browser.wait("return document.querySelectorAll('.band').length === 3")
        row = ".band-row[data-queue='bakery']"
        place = f"""return Number(document.querySelector("{row} .now-line").getAttribute('x1'))"""
        before, gaps = self.browser.run(place), len(self.boxes(f"{row} .gap"))
        # The axis has twelve hours, from 50 to the right edge.
        width = self.browser.run(f"""return document.querySelector("{row} .band").viewBox.baseVal.width""") - 50
        self.go_on(4 * day.MINUTE, clock=0)
        self.browser.wait(place.replace("return ", "return arguments[0] !== "), before)
        ticks = self.ticks("bakery")
        hours = (int(ticks[-1][:2]) - int(ticks[0][:2]))
        self.assertAlmostEqual(self.browser.run(place) - before, width * 4 / 60 / hours, delta=0.1)
        self.assertEqual(len(self.boxes(f"{row} .gap")), gaps, "minutes that are not loaded yet are not unknown")

    def ticks(self, name):
        return self.browser.run("return [...document.querySelectorAll(`.band-row[data-queue='${arguments[0]}'] .tick`)].map(one => one.textContent).filter(text => text.includes(':'))", name)

    def test_all_charts_have_the_same_hours(self):
        usual = day.typical
        self.addCleanup(setattr, day, "typical", usual)
        day.typical = lambda queue, weekday: usual(queue, weekday) if queue == "bakery" else {"weekday": 6, "slots": []}
        self.open(ready=".today-hour")
        self.browser.wait("return document.querySelectorAll('.band').length === 3")
        self.assertEqual([self.ticks(name) for name in day.QUEUES], [self.ticks("bakery")] * 3)
        self.assertEqual(self.ticks("checkout")[-1], "20:00")
        self.assertIn("Grey: ", self.one(".today > .legend"))

    def test_a_day_without_knowledge_is_not_a_day_below_the_target(self):
        self.fixture.periods = [{"start": day.NOW - day.HOUR, "end": day.NOW, "knownMs": 20 * day.MINUTE, "lengthMs": day.HOUR, "state": "unknown", "overTargetMs": None,
                                 "length": None, "joined": None, "served": None, "abandoned": None, "waits": None, "forecast": None}]
        self.open()
        self.eventually(".band-row[data-queue='checkout'] .over-words summary", ["The time over the target is unknown. There is no wait today yet."])

    def test_an_hour_is_drawn_over_its_known_minutes(self):
        """The server has begun at 11:45: the rest of the day is hatched."""
        begin, history = day.NOW - 19 * day.MINUTE, fixture.history
        self.addCleanup(setattr, fixture, "history", history)

        def since(name, step, start, end):
            if step == "minute":
                return history(name, step, max(start, begin), end)
            known = [one for one in history(name, step, start, end) if one["end"] > begin]
            return [one | {"knownMs": min(one["knownMs"], 15 * day.MINUTE), "lengthMs": min(one["lengthMs"], 15 * day.MINUTE)} for one in known]
        fixture.history = since
        self.open(ready=".band-row[data-queue='bakery'] .today-hour")
        row = ".band-row[data-queue='bakery']"
        bands, [gap] = self.boxes(f"{row} .today-band"), self.boxes(f"{row} .gap")
        self.assertEqual(len(bands), 2, "11:45 to 12:00 and 12:00 to 12:04")
        self.assertAlmostEqual(gap[0] + gap[2], bands[0][0], delta=2)
        self.assertAlmostEqual(gap[2] / (gap[2] + bands[0][2] + bands[1][2]), 225 / 244, delta=0.02)
        self.assertIn("to 11:45: unknown", self.browser.run("return document.querySelector(`${arguments[0]} .gap title`).textContent", row))
        ticks = self.browser.run("return [...document.querySelectorAll(`${arguments[0]} .tick`)].map(one => one.textContent).filter(text => text.includes(':'))", row)
        self.assertEqual((ticks[0], ticks[-1]), ("08:00", "20:00"), "both ends of the axis have a time")

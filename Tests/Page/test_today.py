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
        slot = {"samples": 8, "p25Ms": 60_000, "medianMs": 90_000, "p75Ms": 120_000, "length": 1.0}
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
            rest = f"; {expect.wait_value(unknown)} unknown" if unknown else ""
            self.eventually(f".band-row[data-queue='{name}'] .over-words summary", [f"{expect.wait_value(over)} over the target of {target}{rest}." if over else
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

    def test_the_charts_of_today_have_the_order_of_the_tiles(self):
        self.open(ready=".today-hour")
        names = lambda kind: self.browser.run("return [...document.querySelectorAll(arguments[0])].map(one => one.dataset.queue)", kind)
        self.assertEqual(names(".band-row"), names(".tile"))
        queue = day.queue_now("bakery", rev=840)
        self.fixture.publish("queue", queue | {"wait": queue["wait"] | {"ms": 3_000_000, "highMs": 3_600_000}})
        self.browser.wait("return document.querySelector('.tile').dataset.queue === 'bakery'")
        self.assertEqual(names(".band-row"), ["bakery", "checkout", "returns"])

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

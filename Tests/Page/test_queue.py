"""The view Queue: an hour's lanes, table and crosshair show what the API holds, and a dent stands above its cause."""

import math
import urllib.parse

from selenium.webdriver.common.keys import Keys

import day
import expect
from page_case import QueueCase, needs_fixture


@needs_fixture
class QueueTests(QueueCase):
    def test_the_table_has_each_minute_of_the_api(self):
        self.show()
        self.browser.run("document.querySelector('details.table').open = true")
        rows = self.browser.run("return [...document.querySelectorAll('.minutes tbody tr')].map(row => [...row.cells].map(cell => cell.innerText.trim()))")
        self.assertEqual(len(rows), 60)
        for row, minute in zip(rows, self.minutes()):
            self.assertEqual(row[:6], expect.minute(minute, self.zone))
        self.assertIn("unknown: till-1 did not hear", [row[1] for row in rows])

    def test_a_simulations_truth_is_a_thin_line(self):
        self.fixture.truth = {"checkout": [[day.NOW - 50 * day.MINUTE, 7], [day.NOW - 20 * day.MINUTE, 3]]}
        self.show()
        corners = self.browser.run("return document.querySelector('.lanes .truth').getAttribute('points').split(' ').map(one => one.split(',').map(Number))")
        self.assertEqual(len(corners), 4)
        (first, high), (middle, same), (again, low), (last, _) = corners
        self.assertEqual((middle, same), (again, high))
        self.assertGreater(low, high)
        self.assertAlmostEqual((middle - first) / (last - first), 30 / 50, delta=0.01)
        self.assertIn("true number", self.browser.run("return document.querySelector('.lane-title').textContent"))

    def test_a_server_that_keeps_no_visits_still_has_the_minutes(self):
        self.fixture.keeps_visits, self.allowed = False, ["404"]
        self.show()
        self.assertEqual(self.text(".problem"), [""])
        self.browser.run("document.querySelector('details.table').open = true")
        self.assertEqual(len(self.text(".minutes tbody tr")), 60)

    def test_lengths_without_a_share_are_those_of_people_with_a_beacon(self):
        for name, unit in (("returns", " with a beacon"), ("checkout", ""), ("bakery", "")):
            with self.subTest(queue=name):
                self.show(name)
                self.point(day.NOW - 30 * day.MINUTE)
                minute = self.minutes(name=name)[30]
                self.assertEqual(self.one("[data-readout='In line']"), f"{expect.people_value(minute['length'])}{unit} {expect.people_range(minute['length'])}")
                self.assertEqual(self.browser.run("return document.querySelector('.lane-title').textContent"), f"People{unit} in line")
                label = lambda selector: self.browser.run("return document.querySelector(arguments[0]).getAttribute('aria-label')", selector)
                self.assertEqual("Lengths count people with a beacon only." in label(".lanes"), bool(unit))
                self.assertTrue(label(".readout-box .dots").startswith(expect.people(minute)))

    def test_the_history_on_the_screen_is_saved_as_csv(self):
        self.show()
        self.fixture.periods = self.fixture_hours()
        points = sum(one["waits"]["count"] > 0 for one in self.fixture.periods)
        self.browser.run("document.querySelector('.history .controls button').click()")
        self.browser.wait("return document.querySelector('.history .drawn')")
        self.browser.run("URL.createObjectURL = blob => { window.saved = blob; return '#' }; HTMLAnchorElement.prototype.click = () => {}")
        self.browser.run("[...document.querySelectorAll('.history button')].find(one => one.innerText === 'Save as CSV').click()")
        lines = self.browser.driver.execute_async_script("window.saved.text().then(arguments[0])").split()
        self.assertEqual((lines[0], len(lines)), ("start,end,waits,median_ms,p90_ms", points + 1))
        self.assertRegex(lines[1], r"^[-0-9]+T[:.0-9]+Z,[-0-9]+T[:.0-9]+Z,\d+,\d+,\d+$")

    def test_each_chart_and_mark_is_named(self):
        self.show()
        self.assertLess(sum(len(text.split()) for text in self.text(".panel:not(.history) .legend:not([role])")), 60, "the rest stands behind the summary")
        self.browser.run("document.querySelector('details.what').open = true")
        legends = " ".join(self.text(".legend"))
        for words in ("mean number of people with a beacon in line in each of the last 24 hours", "Blank: the minute is not complete yet, or had no forecast.", "Diamonds: a minute whose numbers changed after it was first published", "Pale hatching: less certain."):
            self.assertIn(words, legends)

    def test_the_bars_of_the_day_have_a_scale_and_numbers(self):
        self.show()
        hours = self.api(f"sites/{day.SITE}/queues/checkout/history", to=day.NOW, step="hour", **{"from": day.NOW - 24 * day.HOUR})["periods"]
        means = [one["length"]["mean"] for one in hours if one["state"] != "unknown"]
        ticks = self.browser.run("return [...document.querySelectorAll('.overview .tick.end')].map(one => one.textContent)")
        self.assertEqual(ticks, ["0", str(math.ceil(max(means)))])
        titles = self.browser.run("return [...document.querySelectorAll('.overview .hour-bar title')].map(one => one.textContent)")
        self.assertEqual([float(title.split(": ")[1].split(" ")[0]) for title in titles], [expect.half_up(mean * 10) / 10 for mean in means])
        bottom, top = (box[1] + box[3] / 2 for box in self.boxes(".overview .tick.end"))
        self.assertAlmostEqual((bottom - min(box[1] for box in self.boxes(".hour-bar"))) / (bottom - top), max(means) / math.ceil(max(means)), delta=0.1)

    def test_an_hour_without_a_known_minute_says_so(self):
        self.fixture.periods = []
        self.show()
        self.browser.run("document.querySelector('details.table').open = true")
        self.assertEqual(self.text(".minutes tbody tr"), ["No minute of this hour is known."])

    def test_each_visit_is_a_point_filled_or_open(self):
        self.show()
        points = self.browser.run("const all = document.querySelectorAll('.visit'), joined = document.querySelectorAll('.lane-forecast ~ .visit'); "
                                  "const kind = (name, list) => [...list].filter(one => one.classList.contains(name)).length; "
                                  "return [kind('served', all) - joined.length, kind('abandoned', all), joined.length]")
        left = self.visits()
        joined = [one for one in day.visits("checkout", day.NOW - day.HOUR, day.NOW, "entered") if one["how"] == "served"]
        gave_up = sum(one["how"] == "abandoned" for one in left)
        self.assertGreater(gave_up, 0)
        self.assertEqual(points, [len(left) - gave_up, gave_up, len(joined)])
        fill = lambda kind: self.browser.run("return getComputedStyle(document.querySelector(`.visit.${arguments[0]}`)).fill", kind)
        self.assertNotEqual(fill("served"), fill("abandoned"))

    def test_a_visit_that_is_not_final_is_a_pale_point(self):
        final = day.visits("checkout", day.NOW - day.HOUR, day.NOW)
        self.fixture.provisional = [final[-1] | {"left": day.NOW - 90_000, "how": "served"}]
        self.show()
        points = self.browser.run("return [...document.querySelectorAll('.lane-length ~ .visit.provisional title')].map(one => one.textContent)")
        self.assertEqual(set(one.split(", ")[-1] for one in points), {"provisional"})
        opacity = self.browser.run("return ['.visit.provisional', '.visit:not(.provisional)'].map(one => getComputedStyle(document.querySelector(one)).opacity)")
        self.assertEqual(opacity, ["0.5", "1"])

    def test_a_minute_that_was_unknown_at_first_has_no_diamond(self):
        minute = self.restated(lambda one: {"restated": dict.fromkeys(["people", "waitMs", "served", "abandoned", "medianMs"]) | {
            "rev": 1, "reasons": [{"gateway": "till-2", "state": "unknown", "ms": 17_000}]}})
        self.assertEqual(self.browser.run("return document.querySelectorAll('.restated').length"), 0)
        row = self.browser.run("return [...document.querySelector(`.minutes tr[data-start='${arguments[0]}']`).cells].map(cell => cell.innerText)", minute["start"])
        self.assertEqual(row[6], "first unknown; 17 seconds of till-2 came late")

    def test_a_less_certain_minute_is_hatched_and_says_why(self):
        reasons = [{"gateway": "till-1", "state": "deaf", "ms": 9000}]
        minute = self.restated(lambda one: {"state": "degraded", "reasons": reasons, "restated": None})
        self.assertEqual(len(self.boxes(".lanes .less-certain")), 3, "one in each lane")
        self.point(minute["start"])
        self.assertEqual(self.one("[data-readout='Less certain']"), "till-1 did not hear")
        row = self.browser.run("return [...document.querySelector(`.minutes tr[data-start='${arguments[0]}']`).cells].map(cell => cell.innerText)", minute["start"])
        self.assertEqual(row[6], "less certain")

    def test_a_dent_stands_above_its_cause(self):
        self.show()
        gaps = [box for box in self.boxes(".lanes > .gap") if box[2] > 0]
        deaf = self.boxes(".strip[data-gateway=till-1] .deaf")
        self.assertEqual(len(gaps), 3, "one in each lane")
        self.assertEqual(len(deaf), 1)
        self.assertAlmostEqual(min(box[0] for box in gaps), deaf[0][0], delta=1)
        self.assertAlmostEqual(max(box[0] + box[2] for box in gaps), deaf[0][0] + deaf[0][2], delta=1)
        self.assertLess(max(box[1] + box[3] for box in gaps), deaf[0][1])
        strips = self.browser.run("return [...document.querySelectorAll('.strip')].map(strip => [strip.dataset.gateway, [...strip.querySelectorAll('.strip-run')]"
                                  ".map(run => run.classList[1])])")
        evidence = self.api(f"sites/{day.SITE}/queues/checkout/evidence", to=day.NOW, **{"from": day.NOW - day.HOUR})["gateways"]
        self.assertEqual(strips, [[one["gateway"], [run[2] for run in one["runs"]]] for one in evidence])

    def test_a_time_before_the_server_is_unknown(self):
        self.fixture.periods = [one for one in self.minutes() if one["start"] >= day.NOW - 10 * day.MINUTE]
        self.show()
        self.browser.wait("return document.querySelectorAll('.lanes > .gap').length === 3")
        gap, strip = self.boxes(".lanes > .gap")[0], self.boxes(".strip-run")[0]
        self.assertAlmostEqual(gap[2] / strip[2], 50 / 60, delta=0.01)
        self.browser.driver.find_element("css selector", ".cross-slider").send_keys(Keys.HOME)
        self.eventually("[data-readout='In line']", ["unknown"])
        self.assertEqual(self.one("[data-readout='Forecast']"), "none")

    def test_a_restated_minute_has_a_mark_and_both_values(self):
        self.show()
        minute = next(one for one in self.minutes() if "restated" in one)
        first, now = round(minute["restated"]["people"]), round(minute["length"]["people"])
        self.assertNotEqual(minute["restated"]["waitMs"], minute["forecast"]["waitMs"], "a forecast is not restated: it was shown at its time")
        words = f"people first {first}, now {now}; 42 seconds of till-2 came late"
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('.restated title')].map(one => one.textContent)"), [words])
        heights = [self.boxes(f".restated-{kind}")[0][1] for kind in ("first", "now")]
        self.assertGreater(heights[0], heights[1], "fewer people stand lower")
        self.browser.run("document.querySelector('details.table').open = true")
        self.assertEqual(self.browser.run("return document.querySelector(`.minutes tr[data-start='${arguments[0]}']`).cells[6].innerText", minute["start"]), words)

    def test_the_gateway_that_sent_later_has_a_line_below_its_strip(self):
        self.show()
        minute = next(one for one in self.minutes() if "restated" in one)
        marks = self.browser.run("return [...document.querySelectorAll('.strip-late')].map(one => [one.parentNode.dataset.gateway, one.dataset.start, one.textContent])")
        self.assertEqual(marks, [["till-2", str(minute["start"]), f"{expect.clock(minute['start'], self.zone)}: 42 seconds of till-2 came late, after the minute was first published"]])
        [mark], [now, *_] = self.boxes(".strip-late"), self.boxes(".restated-now")
        self.assertAlmostEqual(mark[0] + mark[2], now[0] + now[2] / 2, delta=1, msg="the mark ends below the minute's values")
        strip = self.boxes(".strip[data-gateway=till-2] .strip-run")[0]
        self.assertAlmostEqual(mark[1], strip[1] + strip[3], delta=1)

    def restated(self, change):
        """Shows the minutes with another one in the place of the one that was restated; returns that one."""
        minutes = self.minutes()
        index = next(number for number, one in enumerate(minutes) if "restated" in one)
        minutes[index] |= change(minutes[index])
        self.fixture.periods = minutes
        self.show()
        self.browser.run("document.querySelector('details.table').open = true")
        return minutes[index]

    def test_a_minute_restated_to_unknown_keeps_its_first_values(self):
        hidden = dict.fromkeys(["length", "joined", "served", "abandoned", "waits", "forecast", "scores", "overTargetMs"])
        reasons = [{"gateway": "till-1", "state": "lost", "ms": day.MINUTE}]
        minute = self.restated(lambda one: hidden | {"state": "unknown", "reasons": reasons})
        count = lambda kind: self.browser.run("return document.querySelectorAll(arguments[0]).length", kind)
        self.assertEqual([count(".restated:not(.restated-leavers) .restated-first"), count(".restated-now"), count(".restated-line")], [1, 0, 0])
        first = minute["restated"]
        words = f"people first {expect.half_up(first['people'])}, now unknown; served first"
        row = self.browser.run("return [...document.querySelector(`.minutes tr[data-start='${arguments[0]}']`).cells].map(cell => cell.innerText)", minute["start"])
        self.assertTrue(row[1].startswith("unknown: "), row)
        self.assertTrue(row[6].startswith(words), row)

    def test_a_minute_with_other_leavers_has_a_mark(self):
        minute = self.restated(lambda one: {"restated": one["restated"] | {
            "people": one["length"]["people"], "waitMs": one["forecast"]["waitMs"], "served": one["served"] + 2, "abandoned": one["abandoned"] + 1, "reasons": []}})
        words = f"served first {minute['served'] + 2}, now {minute['served']}; gave up first {minute['abandoned'] + 1}, now {minute['abandoned']}"
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('.restated title')].map(one => one.textContent)"), [words])
        self.assertEqual(self.browser.run("return document.querySelector(`.minutes tr[data-start='${arguments[0]}']`).cells[6].innerText", minute["start"]), words)

    def test_the_slider_replays_another_hour(self):
        self.show()
        self.fixture.log.clear()
        self.browser.run("const slider = document.querySelector('.hour'); slider.value = 19 * 3600000; slider.dispatchEvent(new Event('input'))")
        self.eventually(".span", ["Sat 14 Mar, 07:04 to 08:04"])
        end = day.NOW - 4 * day.HOUR
        self.browser.wait("return document.querySelector('.minutes tr').parentElement.nextSibling.firstChild.dataset.start === arguments[0]", str(end - day.HOUR))
        asked = [urllib.parse.parse_qs(urllib.parse.urlsplit(one).query) for one in self.fixture.log if "step=minute" in one]
        self.assertEqual([(int(one["from"][0]), int(one["to"][0])) for one in asked], [(end - day.HOUR, end)])
        self.browser.run("[...document.querySelectorAll('button')].find(one => one.innerText === 'Now').click()")
        self.eventually(".span", ["Sat 14 Mar, 11:04 to 12:04"])

    def test_replay_runs_to_the_present(self):
        self.show()
        self.browser.run("const slider = document.querySelector('.hour'); slider.value = 22.5 * 3600000; slider.dispatchEvent(new Event('input'))")
        self.browser.run("[...document.querySelectorAll('button')].find(one => one.innerText === 'Replay').click()")
        self.eventually(".span", ["Sat 14 Mar, 11:04 to 12:04"])
        self.browser.wait("return [...document.querySelectorAll('button')].some(one => one.innerText === 'Replay')")

    def test_the_forecasts_past_error_is_said(self):
        self.show()
        self.assertIn("The last 140 forecasts missed by ½ minute on average, with a mean wait of 3½ minutes; 91 % came within their range.", self.text(".legend"))

    def test_the_history_is_drawn_by_dygraphs(self):
        self.show()
        self.browser.run("[...document.querySelectorAll('button')].find(one => one.innerText === '7 days').click()")
        self.browser.wait("return document.querySelectorAll('.history-box canvas').length === 2")
        ink = self.browser.run("const canvas = document.querySelector('.history-box canvas'); return canvas.getContext('2d')"
                               ".getImageData(0, 0, canvas.width, canvas.height).data.some(value => value > 0)")
        self.assertTrue(ink)

    def test_the_history_begins_with_its_first_day_and_the_thumb_stands_below_its_point(self):
        self.show()
        hour = next(one for one in self.fixture_hours() if one["waits"]["count"])
        days = [(day.NOW - ago * 24 * day.HOUR, day.NOW - ago * 24 * day.HOUR + day.HOUR) for ago in (4, 3, 1)]
        self.fixture.periods = [hour | {"start": start, "end": end} for start, end in days]
        self.browser.run("[...document.querySelectorAll('button')].find(one => one.innerText === '400 days').click()")
        self.browser.wait("return document.querySelectorAll('.history-box canvas').length === 2")
        labels = lambda axis: [text.replace("\xa0", " ") for text in self.text(f".history-box .dygraph-axis-label-{axis}")]
        self.assertTrue(labels("y"))
        for label in labels("y"):
            self.assertRegex(label, r"^\d+(\.\d)? min$")
        self.assertGreater(len(labels("x")), 3, "the axis covers the days that there are")
        slider = self.browser.driver.find_element("css selector", ".history input[type=range]")
        slider.send_keys(Keys.HOME)
        for start, _ in days:
            places = self.browser.run(
                "const [slider] = document.querySelectorAll('.history input[type=range]'), canvas = document.querySelectorAll('.history-box canvas')[1]; "
                "const { width, height } = canvas, copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true }), columns = []; copy.drawImage(canvas, 0, 0); "
                "const { data } = copy.getImageData(0, 0, width, height); for (let x = 0; x < width; x++) for (let y = 0; y < height; y++) if (data[4 * (y * width + x) + 3] > 100) { columns.push(x); break } "
                "const { left } = canvas.getBoundingClientRect(), track = slider.getBoundingClientRect(), share = (slider.value - slider.min) / (slider.max - slider.min); "
                "return [left + (columns[0] + columns.at(-1) + 1) / 2 * canvas.offsetWidth / width, track.left + 8 + (track.width - 16) * share, Number(slider.value)]")
            self.assertEqual(places[2], start)
            self.assertAlmostEqual(places[0], places[1], delta=2)
            slider.send_keys(Keys.ARROW_RIGHT)

    def test_the_history_on_the_screen_is_saved_as_a_picture(self):
        self.show()
        self.browser.run("document.querySelector('.history .controls button').click()")
        self.browser.wait("return document.querySelector('.history .drawn')")
        self.browser.run("URL.createObjectURL = blob => { createImageBitmap(blob).then(({ width, height }) => { window.saved = [blob.type, width, height] }); return '#' }; HTMLAnchorElement.prototype.click = () => {}")
        self.browser.run("[...document.querySelectorAll('.history button')].find(one => one.innerText === 'Save as PNG').click()")
        kind, width, height = self.browser.wait("return window.saved")
        self.assertEqual((kind, True), ("image/png", width > 300 and height > 150))

    def test_the_history_hatches_what_is_unknown_and_not_what_was_empty(self):
        self.show()
        hour = next(one for one in self.fixture_hours() if one["waits"]["count"])
        days = [{"start": day.NOW - (4 - number) * 24 * day.HOUR, "end": day.NOW - (3 - number) * 24 * day.HOUR} for number in range(3)]
        self.fixture.periods = [hour | days[0], hour | days[1] | {"state": "unknown", "waits": None}, hour | days[2] | {"waits": day.spread([])}]
        self.browser.run("[...document.querySelectorAll('button')].find(one => one.innerText === '7 days').click()")
        self.browser.wait("return document.querySelectorAll('.history-box canvas').length === 2")
        drawn = self.browser.run(
            "const canvas = document.querySelector('.history-box canvas'), { width, height } = canvas, { data } = canvas.getContext('2d').getImageData(0, 0, width, height); "
            "const left = 66 * width / canvas.offsetWidth, counts = [0, 0, 0, 0]; "
            "for (let x = Math.ceil(left); x < width; x++) for (let y = 0; y < height; y++) "
            "if (data[4 * (y * width + x) + 3] > 0) counts[Math.min(3, Math.floor(4 * (x - left) / (width - left)))]++; return counts")
        self.assertGreater(drawn[1], 2 * max(drawn[0], drawn[2], drawn[3]), f"ink of each day: {drawn}")

    def test_the_slider_of_the_history_reads_each_period_with_waits(self):
        self.show()
        hours = self.fixture_hours()
        first, last = ([one for one in hours if one["waits"]["count"]][place] for place in (0, -1))
        first["waits"]["count"] = 1
        self.fixture.periods = [hours[0] | {"start": hours[0]["start"] - day.HOUR, "waits": day.spread([])}, *hours]
        self.browser.run("[...document.querySelectorAll('button')].find(one => one.innerText === '7 days').click()")
        self.eventually(".history .legend[role=status]", ["7 days: point at a time, or move the slider, to see its numbers."])
        exact = lambda one, name: expect.exact(one["waits"][name])
        words = lambda one, count: (f"Sat 14 Mar, {expect.clock(one['start'], self.zone)}: {count}, "
                                    f"median {exact(one, 'medianMs')} ({exact(one, 'medianLowMs')} to {exact(one, 'medianHighMs')}), "
                                    f"one in ten above {exact(one, 'p90Ms')} ({exact(one, 'p90LowMs')} or more)")
        slider = self.browser.driver.find_element("css selector", ".history input[type=range]")
        for key, text in ((Keys.HOME, words(first, "1 wait")), (Keys.END, words(last, expect.counted(last["waits"]["count"], "wait")))):
            slider.send_keys(key)
            self.eventually(".history .legend[role=status]", [text])
            self.assertEqual(slider.get_attribute("aria-valuetext"), text)

    def fixture_hours(self):
        return day.longer("checkout", day.NOW - 3 * day.HOUR, day.NOW, day.HOUR)

    def test_the_present_is_the_apis_and_explains_itself(self):
        self.show()
        now = self.api(f"sites/{day.SITE}/queues/checkout")
        self.assertEqual(self.one(".queue-now .wait summary"), f"{expect.wait_value(now['wait']['ms'])} {expect.wait_range(now['wait'])}")
        self.assertEqual(self.one(".queue-now .people summary"), f"{expect.people_value(now['length'])} {expect.people_range(now['length'])}")
        self.browser.run("location.hash = '#/queues/returns'")
        self.eventually(".queue-state", ["Unknown since 11:45: till-4 does not hear"])
        self.assertEqual(self.text(".queue-now"), [])

    def test_a_failure_is_one_sentence(self):
        self.open("#/queues/nothing", ready=".queue-view")
        self.eventually(".queue-state", ["The server does not know this queue."])

    def test_a_live_minute_loads_the_hour_again(self):
        self.show()
        self.fixture.log.clear()
        self.fixture.publish("minute", day.minute("checkout", day.NOW - day.MINUTE))
        self.assertTrue(self.fixture.asked("step=minute"))

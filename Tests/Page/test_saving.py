"""The hour on the screen as files: the CSV has the API's minutes, and the PNG looks like the chart."""

import base64
import io

from PIL import Image, ImageChops

from page_case import QueueCase, needs_fixture

CATCH = """URL.createObjectURL = blob => { const reader = new FileReader(); reader.onload = () => { window.saved = reader.result }; reader.readAsDataURL(blob); return '#' }
HTMLAnchorElement.prototype.click = function () { window.file = this.download };
[...document.querySelectorAll('.panel .controls button')].find(one => one.innerText === arguments[0]).click()"""
# The picture has twice the size of the screen, and a title above the chart.
SCALE, MARGIN, HEAD = 2, 16, 28
SHRINK, LEVELS, SHARE = 8, 24, 0.01


@needs_fixture
class SavingTests(QueueCase):
    def saved(self, button):
        """The name, the kind and the bytes of a file."""
        self.browser.run(CATCH, button)
        kind, data = self.browser.wait("return window.saved").split(",")
        self.browser.run("window.saved = undefined")
        return self.browser.run("return window.file"), kind, base64.b64decode(data)

    def test_the_hour_is_saved_as_csv(self):
        self.show()
        name, _, data = self.saved("Save as CSV")
        self.assertEqual(name, "checkout-2026-03-14T11-04.csv")
        lines = data.decode().split("\r\n")
        self.assertEqual(lines.pop(), "")
        rows = [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]
        cell = lambda value: "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
        of = lambda minute, member, name: cell(minute[member] and minute[member][name])
        self.assertEqual([[row[name] for name in ("state", "people", "median_wait_ms", "served", "gave_up", "forecast_ms")] for row in rows],
                         [[one["state"], of(one, "length", "people"), of(one, "waits", "medianMs"), cell(one["served"]), cell(one["abandoned"]),
                           of(one, "forecast", "waitMs")] for one in self.minutes()])
        self.assertEqual((rows[0]["start"], rows[0]["end"]), ("2026-03-14T10:04:00.000Z", "2026-03-14T10:05:00.000Z"))

    def test_the_hour_is_saved_as_a_picture_of_the_chart(self):
        for dark in (False, True):
            with self.subTest(dark=dark):
                self.show(dark=dark)
                left, top, width, height = self.boxes(".lanes")[0]
                screen = picture(self.browser.screenshot(whole=True)).crop((round(left), round(top), round(left + width), round(top + height)))
                name, kind, data = self.saved("Save as PNG")
                self.assertEqual((name, kind), ("checkout-2026-03-14T11-04.png", "data:image/png;base64"))
                saved = picture(data)
                saved = saved.resize((saved.width // SCALE, saved.height // SCALE), Image.Resampling.BOX)
                saved = saved.crop((MARGIN, MARGIN + HEAD, MARGIN + screen.width, MARGIN + HEAD + screen.height))
                far = [max(pixel) > LEVELS for pixel in ImageChops.difference(shrink(screen), shrink(saved)).getdata()]
                self.assertLess(sum(far) / len(far), SHARE)


def picture(data):
    return Image.open(io.BytesIO(data)).convert("RGB")


def shrink(one):
    return one.resize((one.width // SHRINK, one.height // SHRINK), Image.Resampling.BOX)

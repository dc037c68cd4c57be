"""Screenshots beside reference images: a sixth of the size, so that letters' edges do not matter but their places and all colours do."""

import io
import os

from PIL import Image, ImageChops

from page_case import PageCase, Target, needs_fixture
from test_beacons import register
from test_plan import SHELF, furnish, mark_faults

HERE = os.path.dirname(os.path.abspath(__file__))
SCREENS = os.path.join(HERE, "screens")
README = os.path.join(HERE, "../../.github/screenshot.png")
# name: place, ready, width and height, dark
VIEWS = {
    "now-phone": ("", ".today-hour", (375, 812), False),
    "now-desk": ("", ".today-hour", (1280, 800), False),
    "now-desk-dark": ("", ".today-hour", (1280, 800), True),
    "now-wall": ("?wall", ".today-hour", (1920, 1080), True),
    "queue-phone": ("#/queues/checkout", ".lanes", (375, 812), False),
    "queue-desk": ("#/queues/checkout", ".lanes", (1280, 800), False),
    "queue-desk-dark": ("#/queues/checkout", ".lanes", (1280, 800), True),
    "gateways-desk": ("#/gateways", ".gateway-table", (1280, 800), False),
    "gateways-phone-dark": ("#/gateways", ".gateway-table", (375, 812), True),
    "beacons-desk": ("#/beacons", "tr[data-beacon]", (1280, 800), False),
    "beacons-phone-dark": ("#/beacons", "tr[data-beacon]", (375, 812), True),
    "plan-desk": ("#/plan", ".plan-drawing .mark", (1280, 800), False),
    "plan-phone-dark": (f"#/plan/{SHELF.replace('/', '%2F')}", ".beacon-events li", (375, 812), True),
}
SHRINK, LEVELS, SHARE = 6, 14, 0.003
# The picture of README.
SIZE = (1280, 840)
# One font everywhere, no moving clock, no blinking.
STILL = """const sheet = new CSSStyleSheet(); sheet.replaceSync('html, button { font-family: "DejaVu Sans" !important } #link { visibility: hidden } * { transition: none !important }')
document.adoptedStyleSheets = [sheet]; return document.fonts.ready.then(() => true)"""


@needs_fixture
class ScreenTests(PageCase):
    def picture(self, name):
        place, ready, size, dark = VIEWS[name]
        if "beacons" in name:
            register(self.fixture)
        if "plan" in name:
            furnish(self.fixture)
            mark_faults(self.fixture)
        self.open(place, ready=ready, size=size, dark=dark)
        self.browser.run(STILL)
        if not place.startswith("#"):
            self.browser.wait("return document.querySelectorAll('.band').length === 3")
        # Two frames later, all charts have their width.
        self.browser.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
        return Image.open(io.BytesIO(self.browser.screenshot(whole=True))).convert("RGB")

    def test_each_view_looks_like_its_reference(self):
        for name in VIEWS:
            with self.subTest(view=name):
                small = shrink(self.picture(name))
                path = os.path.join(SCREENS, f"{name}.png")
                if Target.update:
                    small.save(path, optimize=True)
                    continue
                reference = Image.open(path).convert("RGB")
                self.assertEqual(small.size, reference.size)
                if (share := different(small, reference)) > SHARE:
                    self.fail(f"{share:.1%} of the picture differ; run-page --update writes new references")

    def test_the_comparison_finds_a_lost_hatching(self):
        picture = shrink(self.picture("now-desk"))
        self.browser.run("document.querySelector('.tile[data-state=unknown]').dataset.state = 'ok'")
        changed = Image.open(io.BytesIO(self.browser.screenshot(whole=True))).convert("RGB")
        self.assertGreater(different(picture, shrink(changed)), SHARE)


class ReadmeTests(PageCase):
    """README shows the page of `packaging/demo --truth`: `run-page --url … --update test_screens.ReadmeTests` takes its picture."""

    def test_the_screenshot_of_readme_is_small(self):
        if Target.url and Target.update:
            self.open(ready=".today-hour", size=SIZE)
            self.browser.run(STILL)
            Image.open(io.BytesIO(self.browser.screenshot())).convert("RGB").quantize(64).save(README, optimize=True)
        self.assertEqual(Image.open(README).size, SIZE)
        self.assertLess(os.path.getsize(README), 150_000)


def shrink(picture):
    return picture.resize((picture.width // SHRINK, picture.height // SHRINK), Image.Resampling.BOX)


def different(one, other):
    """The share of the pixels with another colour."""
    pixels = ImageChops.difference(one, other).getdata()
    return sum(max(pixel) > LEVELS for pixel in pixels) / len(pixels)

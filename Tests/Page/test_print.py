"""The page on paper: no heading alone, no text in two pieces, and no sheet for a single line."""

import base64

import day
from page_case import PageCase, needs_fixture

A4 = {"paperWidth": 8.27, "paperHeight": 11.69}


@needs_fixture
class PrintTests(PageCase):
    def sheets(self):
        """How many sheets the printer needs."""
        data = base64.b64decode(self.browser.command("Page.printToPDF", printBackground=True, **A4)["data"])
        return data.count(b"/Type /Page\n")

    def test_each_view_of_three_queues_is_one_sheet(self):
        for place, ready in {"": ".today-hour", "?wall": ".today-hour", "#/queues/checkout": ".lanes", "#/gateways": ".gateway-table"}.items():
            with self.subTest(place=place):
                self.open(place, ready=ready)
                if ready == ".today-hour":
                    self.browser.wait("return document.querySelectorAll('.band').length === 3")
                self.assertEqual(self.sheets(), 1)

    def test_headings_and_texts_stay_in_one_piece(self):
        for place, ready in {"": ".today-hour", "#/queues/checkout": ".lanes", "#/gateways": ".gateway-table"}.items():
            with self.subTest(place=place):
                self.open(place, ready=ready)
                self.browser.look(media="print")
                styles = lambda selector, name: set(self.browser.run("return [...document.querySelectorAll(arguments[0])].map(one => getComputedStyle(one)[arguments[1]])", selector, name))
                self.assertEqual(styles(":is(h1, h2):not(.tile h2)", "breakAfter"), {"avoid"})
                self.assertEqual(styles(":is(p, tr, .tile, .band-row, .history, footer)", "breakInside"), {"avoid"})

    def test_charts_keep_the_size_of_their_text(self):
        self.open("#/queues/checkout", ready=".lanes")
        self.browser.run("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.browser.run("return document.querySelector('.lanes').viewBox.baseVal.width"), 640)
        self.browser.run("dispatchEvent(new Event('afterprint'))")
        self.assertGreater(self.browser.run("return document.querySelector('.lanes').viewBox.baseVal.width"), 1000)

    def test_what_only_a_pointer_opens_is_not_on_paper(self):
        self.open("#/queues/checkout", ready=".lanes")
        self.browser.look(media="print")
        self.assertEqual(self.text("button, input, details:not(.why)"), [])
        self.browser.run("document.querySelector('details.what').open = true")
        self.assertEqual(len(self.text("details.what .legend")), 2)

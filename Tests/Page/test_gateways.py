"""The view Gateways: each gateway with the API's numbers, worst first."""

import day
from page_case import PageCase, needs_fixture

WORST_FIRST = ["offline", "unknown", "deaf", "silent", "degraded", "refused", "rejected", "unsynced", "backlog", "behind", "losing", "expiring", "online"]


class GatewaysTests(PageCase):
    def row(self, name):
        return self.browser.run("return [...document.querySelector(`tr[data-gateway='${arguments[0]}']`).cells].map(cell => cell.innerText.trim())", name)

    def test_gateways_have_the_apis_order_and_states(self):
        self.open("#/gateways")
        gateways = self.api(f"sites/{self.site}/gateways")["gateways"]
        shown = self.browser.run("return [...document.querySelectorAll('tbody tr')].map(row => [row.dataset.gateway, row.dataset.state])")
        self.assertEqual(sorted(name for name, _ in shown), sorted(one["gateway"] for one in gateways))
        ranks = [WORST_FIRST.index(state) for _, state in shown]
        self.assertEqual(ranks, sorted(ranks))

    @needs_fixture
    def test_each_number_is_the_apis(self):
        self.open("#/gateways")
        self.assertEqual(self.one("h1"), "2 of 6 gateways need attention")
        self.assertEqual(self.row("till-4"), ["till-4", "does not hear", "11:45", "0", "synchronised", "0.2 s", "0", "0", "12:03", "no beacon; fleet 3, site 7"])
        self.assertEqual(self.row("till-2"), ["till-2", "degraded", "11:16", "41.5", "not synchronised", "1.9 s", "12", "240", "12:03",
                                              "42/7 every 100 ms, 4 dBm; fleet 3, site 7, gateway 2"])
        self.fixture.publish("gateway", self.fixture.gateways["till-2"] | {"reportsPerSecond": 101.04})
        self.eventually("tr[data-gateway=till-2] td:nth-of-type(3)", ["101"])
        self.fixture.publish("gateway", {key: value for key, value in self.fixture.gateways["till-2"].items() if key != "tuning"})
        self.eventually("tr[data-gateway=till-2] td:last-child", ["needs a token"])
        self.fixture.publish("gateway", self.fixture.gateways["till-3"] | {"gateway": "spare", "configured": False})
        self.eventually("tr[data-gateway=spare] th", ["spare in no queue"])
        self.assertEqual(self.row("entry-1")[2], "Fri 13 Mar, 06:04")
        self.browser.run("document.querySelector('.columns').open = true")
        self.assertIn("The state began then, or the server started.", self.text(".columns dd")[2])

    @needs_fixture
    def test_a_certificate_that_ends_soon_is_named_with_its_days(self):
        self.open("#/gateways")
        for hours, words in ((243, "certificate ends in 10 days"), (25, "certificate ends in 1 day"), (3, "certificate ends within a day"), (-3, "certificate has ended")):
            ends = {"state": "expiring", "certificateExpiresAt": day.NOW + hours * 3_600_000}
            self.fixture.publish("gateway", self.fixture.gateways["entry-1"] | ends)
            self.eventually("tr[data-gateway=entry-1] .gateway-state", [words])

    @needs_fixture
    def test_no_word_of_the_table_breaks(self):
        # From here on, the table has columns.
        for width in (1220, 1280):
            self.open("#/gateways", size=(width, 800))
            lines = self.browser.run("return [...document.querySelectorAll('thead th, tbody th')].map(cell => { const range = document.createRange(); range.selectNodeContents(cell); "
                                     "return [cell.innerText, new Set([...range.getClientRects()].map(one => one.top)).size] })")
            self.assertEqual([(text, count) for text, count in lines if count > len(text.split())], [])
            self.assertTrue(self.browser.run("const list = document.querySelector('.scroll'); return list.scrollWidth <= list.clientWidth"))

    @needs_fixture
    def test_an_absent_gateway_has_no_present_numbers(self):
        self.open("#/gateways")
        absent = {"reportsPerSecond": None, "clock": None, "delayMs": None, "backlog": None}
        for state, words in (("silent", "no messages"), ("unknown", "unknown"), ("offline", "offline")):
            self.fixture.publish("gateway", self.fixture.gateways["entry-1"] | absent | {"state": state, "since": day.NOW})
            self.eventually("tr[data-gateway=entry-1] .gateway-state", [words])
            self.assertEqual(self.row("entry-1")[2:8], ["12:04", "unknown", "unknown", "unknown", "unknown", "0"])
        self.assertNotIn("unknown", self.row("till-4"), "a deaf gateway reports")

    @needs_fixture
    def test_a_clock_that_the_site_accepts_is_named(self):
        self.open("#/gateways")
        self.fixture.publish("gateway", self.fixture.gateways["entry-1"] | {"clock": "accepted", "delayMs": None})
        self.eventually("tr[data-gateway=entry-1] td:nth-of-type(4)", ["not set (accepted)"])
        self.assertTrue(self.one("h1").endswith("; 1 clock not set (accepted)"), self.one("h1"))

    @needs_fixture
    def test_a_change_moves_the_gateway_up(self):
        self.open("#/gateways")
        self.fixture.publish("gateway", self.fixture.gateways["entry-1"] | {"state": "silent", "since": day.NOW})
        self.eventually("tbody th", ["till-4", "entry-1", "till-2", "entry-2", "till-1", "till-3"])
        self.eventually("h1", ["3 of 6 gateways need attention"])

    @needs_fixture
    def test_a_long_list_shows_the_worst_and_how_many_there_are(self):
        for number in range(240):
            self.fixture.gateways[f"more-{number}"] = day.GATEWAYS[-1] | {"gateway": f"more-{number}"}
        self.open("#/gateways")
        self.assertEqual(len(self.text("tbody th")), 100)
        self.browser.run("[...document.querySelectorAll('button')].find(one => one.innerText === 'Show all 246').click()")
        self.assertEqual(len(self.text("tbody th")), 246)

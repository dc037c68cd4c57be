"""The view Now on a wall: the whole screen, one huge number a queue, nothing that needs a pointer."""

import day
from page_case import PageCase, needs_fixture

LANDSCAPE, SMALL, PORTRAIT = (1920, 1080), (1280, 720), (1080, 1920)
# The share of the screen that no part of the page covers, such as margins.
MOST_EMPTY = 0.1
EMPTY = """const boxes = [...document.querySelectorAll('.bar, .stale, h1, .tile, .key, .today > *, footer')].filter(one => one.checkVisibility())
  .map(one => one.getBoundingClientRect()), step = 4
let empty = 0, all = 0
for (let x = step / 2; x < innerWidth; x += step) for (let y = step / 2; y < innerHeight; y += step, all++)
  empty += !boxes.some(box => box.left <= x && x < box.right && box.top <= y && y < box.bottom)
return empty / all"""
# The texts of tiles that are cut or that cover each other.
CUT = """const texts = '.tile-head, .state, .wait, .known > .caption, .target, .people-line, .tile-foot', found = []
for (const tile of document.querySelectorAll('.tile')) {
  const outer = tile.getBoundingClientRect(), all = [...tile.querySelectorAll(texts)].filter(one => one.checkVisibility())
  const boxes = all.map(one => one.getBoundingClientRect())
  boxes.forEach((box, index) => {
    const name = `${tile.dataset.queue} ${all[index].className}`
    if (box.bottom > outer.bottom || box.right > outer.right) found.push(`${name} is cut`)
    boxes.slice(index + 1).forEach((other, place) => { if (box.left < other.right - 1 && other.left < box.right - 1 && box.top < other.bottom - 1 &&
      other.top < box.bottom - 1) found.push(`${name} covers ${all[index + 1 + place].className}`) })
  })
}
return found"""


@needs_fixture
class WallTests(PageCase):
    def hang(self, count, size, change=lambda queue: queue, **look):
        """A wall of some queues; the third one is unknown."""
        self.allowed = ["404"]
        names = list(day.QUEUES)
        self.fixture.queues = {}
        for number in range(count):
            base = names[number] if number < len(names) else names[number % 2]
            name = base if number < len(names) else f"checkout-{number}"
            self.fixture.queues[name] = change(day.queue_now(base) | {"queue": name})
        self.open("?wall", ready=".tile", size=size, **look)
        self.browser.wait("return document.querySelectorAll('.tile').length === arguments[0]", count)
        self.browser.wait("return document.querySelectorAll('.today-hour').length > 0 || innerHeight < 800 || arguments[0] > 3", count)
        self.browser.driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")

    def number(self):
        return self.browser.run("return Math.min(...[...document.querySelectorAll('.tile .wait .main')].filter(one => one.checkVisibility()).map(one => parseFloat(getComputedStyle(one).fontSize)))")

    def test_a_wall_uses_the_whole_screen(self):
        for size in (LANDSCAPE, SMALL, PORTRAIT):
            for count in (1, 2, 3, 4, 5, 8, 12):
                with self.subTest(size=size, count=count):
                    self.hang(count, size)
                    self.assertEqual(self.browser.run("return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"), list(size))
                    self.assertEqual(self.browser.run(CUT), [])
                    self.assertLess(self.browser.run(EMPTY), MOST_EMPTY)

    def test_each_queue_has_one_huge_number(self):
        for size, counts in ((LANDSCAPE, {1: 180, 3: 110, 5: 90, 12: 75}), (SMALL, {1: 120, 5: 65, 12: 48}), (PORTRAIT, {1: 180, 5: 90, 12: 65})):
            for count, least in counts.items():
                with self.subTest(size=size, count=count):
                    self.hang(count, size)
                    self.assertGreaterEqual(self.number(), least)
                    rest = self.browser.run("return Math.max(...[...document.querySelectorAll('.tile :is(.people, .range, .target, .caption, h2)')].map(one => parseFloat(getComputedStyle(one).fontSize)))")
                    self.assertGreater(self.number(), 2 * rest)

    def test_long_words_are_not_cut(self):
        """Each part of a tile at its longest."""
        def longest(queue):
            if queue["wait"]:
                queue |= {"coverage": None, "state": "degraded", "since": day.NOW - 5 * day.MINUTE,
                          "reasons": [{"gateway": "entry-1", "state": "lost", "since": day.NOW - 5 * day.MINUTE}]}
                queue["wait"] |= {"ms": 6_600_000, "lowMs": 6_000_000, "highMs": 7_140_000, "learning": True}
            return queue
        for size in (LANDSCAPE, SMALL, PORTRAIT):
            for count in (1, 2, 3, 5, 12):
                with self.subTest(size=size, count=count):
                    self.hang(count, size, longest)
                    self.assertIn("110 minutes", self.text(".tile .wait .main")[0])
                    self.assertEqual(self.browser.run(CUT), [])

    def test_the_colour_of_a_number_follows_the_target_with_a_symbol(self):
        self.hang(3, LANDSCAPE)
        look = lambda name: self.browser.run("const tile = document.querySelector(`.tile[data-queue=${arguments[0]}]`); return [getComputedStyle(tile.querySelector('.wait .main')).color, "
                                             "getComputedStyle(tile.querySelector('.target'), '::before').content, tile.querySelector('.target').innerText]", name)
        over, within = look("checkout"), look("bakery")
        self.assertEqual([over[1:], within[1:]], [['"▲ "', "Over the target of 5 minutes"], ['"✓ "', "Within the target of 6 minutes"]])
        self.assertNotEqual(over[0], within[0])
        self.open()
        self.assertEqual(self.text(".tile .target"), ["Over the target of 5 minutes"], "elsewhere only what is over its target is marked")

    def test_nothing_needs_a_pointer(self):
        self.hang(3, LANDSCAPE)
        self.assertEqual(self.text("nav, .choice, .hint"), [])
        underlined = "return [...document.querySelectorAll('main *')].filter(one => getComputedStyle(one).textDecorationLine !== 'none').map(one => one.className)"
        self.assertEqual(self.browser.run(underlined), [])

    def test_names_of_any_length_leave_their_tile_alone(self):
        unknown = day.queue_now("returns")
        reasons = [unknown["reasons"][0] | {"gateway": f"{'t' * 60}-{number}"} for number in range(9)]
        self.hang(12, LANDSCAPE, lambda queue: queue | ({"queue": "q" * 64} if queue["queue"] == "checkout-5" else {"reasons": reasons} if queue["queue"] == "returns" else {}))
        self.assertEqual(self.browser.run("return [document.documentElement.scrollWidth, document.documentElement.scrollHeight]"), list(LANDSCAPE))
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('.tile .state a')].at(-1).innerText"), "6 more")

    def test_news_and_another_size_keep_the_grid(self):
        self.hang(2, LANDSCAPE)
        before = self.boxes(".tile")
        self.fixture.publish("queue", day.queue_now("bakery", rev=990) | {"wait": None, "leavers": None, "throughput": None})
        self.eventually(".tile[data-queue='bakery'] .wait summary", ["No forecast yet"])
        self.assertEqual(self.boxes(".tile"), before)
        self.browser.look(PORTRAIT)
        self.browser.wait("const [one, other] = [...document.querySelectorAll('.tile')].map(tile => tile.getBoundingClientRect()); return one.left === other.left && other.bottom <= innerHeight")
        self.assertEqual(self.browser.run(CUT), [])

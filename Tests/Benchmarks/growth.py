"""The cost of a report with more and more beacons."""

import figures
from figures import Row

SIZES = [10, 100, 1000, 10_000, 100_000]
REPORTS = 3_800_000
TURNS = 7


def growth():
    """Each beacon has ten reports a second, so JSON has the same share of each report's cost."""
    nothing = figures.capture("nothing", "--beacons", 0)
    programs = [figures.replay, lambda path: [figures.yardstick(), path]]
    costs = []
    for size in SIZES:
        path = figures.capture("crowd", "--beacons", size, "--seconds", REPORTS // (size * 9.5),
                             "--noise", 0, "--format", "h4")
        starts = figures.alternating(
            TURNS, *[lambda p=program: figures.cpu_seconds(p(nothing)) for program in programs])
        times = figures.alternating(
            TURNS, *[lambda p=program: figures.cpu_seconds(p(path)) for program in programs])
        costs.append([(time - start) / REPORTS * 1e9 for time, start in zip(times, starts)])
    growths = [costs[-1][which] / costs[1][which] for which in (0, 1)]
    for size, (ours, theirs) in zip(SIZES, costs):
        yield Row(f"a report among {size:,} identities", f"{ours:.0f} ns", "",
                  f"{theirs:.0f} ns", f"{theirs / ours:.2f}")
    yield Row("growth from 100 to 100,000", f"{growths[0]:.2f} ×", "≤ 2 ×", f"{growths[1]:.2f} ×",
              "", growths[0] <= 2)

"""From a capture to JSON, beside a C program that does the same."""

import json
import subprocess

import figures
from figures import Row

KINDS = {
    "H4, legacy": ["--format", "h4"],
    "H4, extended": ["--format", "h4", "--extended"],
    "monitor, legacy": ["--format", "monitor"],
    "monitor, extended": ["--format", "monitor", "--extended"],
}
TURNS = 9


def reports(path):
    """The number of reports that the agent counts in a capture."""
    lines = subprocess.run(figures.replay(path), stdout=subprocess.PIPE, check=True).stdout
    return sum(json.loads(line).get("radio", {}).get("reports", 0) for line in lines.splitlines())


def throughput():
    """1,000 beacons for 100 s, in both formats of reports and both formats of captures."""
    for kind, options in KINDS.items():
        path = figures.capture("throughput", *options, "--beacons", 1000, "--seconds", 100, own=False)
        count = reports(path)
        ours, theirs = figures.alternating(
            TURNS, lambda: figures.cpu_seconds(figures.replay(path)),
            lambda: figures.cpu_seconds([figures.yardstick(), path]))
        ratio = theirs / ours
        yield Row(f"replay, {kind}", f"{count / ours / 1e6:.1f} M reports/s", "≥ 0.5 of it",
                  f"{count / theirs / 1e6:.1f} M reports/s", f"{ratio:.2f}", ratio >= 0.5)

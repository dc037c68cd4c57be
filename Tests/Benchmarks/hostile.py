"""A million new identities in the received reports."""

import time

from figures import Row
from rig import Rig, memory

REPORTS = 1_000_000
RATE = 40_000  # more than a million a minute: all reports fit into one window


def hostile():
    """Each report has a new identity. A window of a minute reaches its bound of 100,000 identities."""
    # Windows begin with the minute. Across its end, there would be two.
    while time.time() % 60 > 15:
        time.sleep(1)
    with Rig(RATE, 0, REPORTS, windowMs=60_000) as rig:
        rig.wait_for_scan()
        before = memory(rig.pid)
        rig.radio.program.says("sent")
        rig.drain()
        full = memory(rig.pid)
        rig.agent.end()
        messages = [message.json for message in rig.tap.sightings()]
    counts = [m["radio"] for m in messages if "radio" in m]
    reports = sum(c["reports"] for c in counts)
    untracked = sum(c.get("untracked", 0) for c in counts)
    sightings = sum(len(m["sightings"]) for m in messages)
    peak = full["Peak"] / 1024
    yield Row("1,000,000 identities, counted", f"{reports:,}", "all", kept=reports == REPORTS)
    yield Row("  in sightings, and as untracked", f"{sightings:,} + {untracked:,}", "all",
              kept=sightings + untracked == REPORTS)
    yield Row("  resident memory, peak", f"{peak:.1f} MiB", "< 40 MiB", kept=peak < 40)
    each = (full["Anonymous"] - before["Anonymous"]) * 1024 / min(sightings, 100_000)
    yield Row("memory for an identity", f"{each:.0f} B")

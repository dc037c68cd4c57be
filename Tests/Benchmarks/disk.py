"""Bytes written to the disk while the broker answers, and during an outage."""

import os
import re
import shutil
import time

import figures
from figures import Row
from rig import Rig

SECONDS = 10
CALLS = "write,writev,pwrite64,pwritev,fsync,fdatasync,sync_file_range,ftruncate,msync"


def traced(path, folder):
    """Bytes written to files in a folder, and their flushes, from strace's log."""
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line for line in file if f"<{folder}/" in line]
    written = sum(int(m[1]) for line in lines
                  if (m := re.search(r"\b(?:p?writev?(?:64)?)\(.*= (\d+)$", line)))
    return written, sum("sync(" in line for line in lines)


def disk():
    """An agent with 200 beacons, under strace."""
    if not shutil.which("strace"):
        return
    log = os.path.join(figures.TEMP, "strace")
    strace = ("strace", "-D", "-f", "-y", "-qq", "-s", "0", "-e", f"trace={CALLS}", "-o", log)
    with Rig(2000, 200, launcher=strace) as rig:
        state = os.path.realpath(f"{rig.folder}/state")
        rig.wait_for_messages(SECONDS)
        written, flushed = traced(log, state)
        yield Row("written while the broker answers", f"{written} B", "0 B", kept=written == 0)
        yield Row("  flushes", f"{flushed}", "0", kept=flushed == 0)
        rig.broker.kill()
        time.sleep(SECONDS)
        after, flushes = traced(log, state)
    yield Row("written during an outage", f"{(after - written) / SECONDS / 1000:.1f} kB/s")
    yield Row("  flushes", f"{(flushes - flushed) / SECONDS:.1f} /s")

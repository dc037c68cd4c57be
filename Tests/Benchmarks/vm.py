"""Processor time through the kernel's own Bluetooth stack, in a virtual machine."""

import json
import os
import subprocess

import figures
from figures import Row


def vm():
    """Processor time on a raw channel (hci0) within a window, beside a program that only reads the same events."""
    command = os.path.join(figures.HERE, "measure-in-guest")
    script = os.path.join(figures.HERE, "../../packaging/vm")
    done = subprocess.run(
        [script, "--seconds", "400", command, figures.BIN, figures.compiled("reader.c")],
        stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{script} exited {done.returncode}: {done.stdout[-500:]}")
    for line in done.stdout.splitlines():
        if not line.startswith("{"):
            continue
        found = json.loads(line)
        rate, ours, theirs = found["rate"], found["ours"], found["theirs"]
        yield Row(f"VM's hci0 without publishing, {rate:,.0f} reports/s", f"{ours:.2%} of a core", "2 ×",
                  f"{theirs:.2%} of a core", f"{ours / theirs:.1f} ×", ours <= 2 * theirs)
        yield Row("  wake-ups a second", f"{found['woken']:.0f}")

"""Processor time through the kernel's own Bluetooth stack, in a virtual machine."""

import json
import os
import subprocess

import figures
from figures import Row


def vm():
    """Processor time on a raw channel (hci0), beside a program that only reads the same events."""
    command = os.path.join(figures.HERE, "measure-in-guest")
    script = os.path.join(figures.HERE, "../../packaging/vm")
    done = subprocess.run(
        [script, "--seconds", "240", command, figures.BIN, figures.compiled("reader.c")],
        stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{script} exited {done.returncode}: {done.stdout[-500:]}")
    found = json.loads(done.stdout.splitlines()[-1])
    rate, ours, theirs = found["rate"], found["ours"], found["theirs"]
    yield Row(f"VM's hci0 at {rate:,.0f} reports/s", f"{ours:.2%} of a core", "",
              f"{theirs:.2%} of a core", f"+{ours - theirs:.2%}")
    yield Row("  for 1,000 reports", f"{ours / rate * 1e6:.1f} ms", "",
              f"{theirs / rate * 1e6:.1f} ms", f"+{(ours - theirs) / rate * 1e6:.1f} ms")

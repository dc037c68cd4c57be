"""A running agent: a controller with a steady rate of reports, a mosquitto, a tap between them, and figures from /proc."""

import collections
import contextlib
import json
import os
import re
import tempfile
import time

import figures
import processes
from processor import processes_of, processor_of_all
from tap import Tap


def memory(pid):
    """The lines of smaps_rollup and the peak of resident memory, in KiB: the sums of all processes."""
    kinds = collections.Counter()
    for process in processes_of(pid):
        with open(f"/proc/{process}/smaps_rollup", encoding="ascii") as file:
            for name, size in re.findall(r"(\w+): +(\d+) kB", file.read()):
                kinds[name] += int(size)
        with open(f"/proc/{process}/status", encoding="ascii") as file:
            kinds["Peak"] += int(re.search(r"VmHWM:\s+(\d+)", file.read())[1])
    return kinds


class Radio:
    """A controller behind a socket."""

    def __init__(self, rate, beacons, *reports):
        self.rate = rate
        self.path = os.path.join(tempfile.mkdtemp(dir=figures.TEMP), "radio")
        self.program = processes.Program(
            figures.compiled("controller.c"), self.path, *map(str, (rate, beacons, *reports)))
        self.program.says("listening")

    def scan_began(self):
        """The time of the first scan command, in seconds of the monotonic clock."""
        return int(self.program.says("scan").split()[1]) / 1e9


class Rig:
    """A radio, an agent and a broker; a context manager that ends them."""

    def __init__(self, rate, beacons, *reports, launcher=(), **report):
        self.radio = Radio(rate, beacons, *reports)
        self.folder = tempfile.mkdtemp(dir=figures.TEMP)
        self.broker = processes.Broker(self.folder)
        self.tap = Tap(self.broker.port)
        path = f"{self.folder}/sightlined.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump({
                "gateway": {"site": "store-042", "id": "entry-1"},
                "mqtt": {"host": "127.0.0.1", "port": self.tap.port},
                "radio": {"source": f"h4:unix:{self.radio.path}"}, "report": report,
                "outbox": {"holdUnsyncedMs": 0}, "stateDirectory": f"{self.folder}/state",
            }, file)
        self.begun = time.monotonic()
        self.agent = processes.Program(*launcher, f"{figures.BIN}/sightlined", "--config", path)
        self.pid = self.agent.process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.agent.end()
        self.radio.program.kill()
        self.broker.end()

    def wait_for_scan(self):
        return self.radio.scan_began()

    def drain(self):
        """Waits until the agent has read all reports and is idle."""
        spent, before = processor_of_all(self.pid), -1
        while spent > before + 0.01:
            time.sleep(0.3)
            spent, before = processor_of_all(self.pid), spent

    def wait_for_messages(self, count, seconds=60):
        """Waits until the tap has seen this number of sightings messages."""
        deadline = time.monotonic() + seconds
        while len(self.tap.sightings()) < count:
            processes.expect(time.monotonic() < deadline,
                         f"{len(self.tap.sightings())} messages, not {count}: {self.agent.lines[-3:]}")
            time.sleep(0.05)


@contextlib.contextmanager
def reader(rate, beacons):
    """Starts a program that only reads the same rate of reports, and yields its PID."""
    radio = Radio(rate, beacons)
    program = processes.Program(figures.compiled("reader.c"), radio.path)
    try:
        yield program.process.pid
    finally:
        program.kill()
        radio.program.kill()

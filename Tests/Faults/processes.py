"""The processes of a fault test: a broker, a virtual radio, and an agent behind a proxy."""

import collections
import itertools
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time

from mqtt import LIMIT
from proxy import Proxy

BIN = None  # the folder of the programs: set by run-faults
TEMP = None  # the folder of all files, until the end
WORLD = {
    "seed": 7, "uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0", "advertisingIntervalMs": 100,
    "radio": {"fadingDb": 3}, "gateways": [{"id": "shelf", "x": 0, "y": 0}],
    "noise": {"count": 5, "corner": {"x": 0, "y": 0}, "opposite": {"x": 10, "y": 10}},
}
INTERVAL = 0.1  # a beacon advertises no faster than this, in seconds


class Failed(Exception):
    """A failed expectation, as one sentence."""


def expect(condition, sentence):
    if not condition:
        raise Failed(sentence)


class Program:
    """A running program, whose output a thread reads. The end of its `with` ends the program."""

    def __init__(self, *command, **options):
        self.name = os.path.basename(command[0])
        self.lines, self.changed, self.over = [], threading.Condition(), False
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace", **options)
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def read(self):
        for line in self.process.stdout:
            with self.changed:
                self.lines.append(line.rstrip())
                self.changed.notify_all()
        with self.changed:
            self.over = True
            self.changed.notify_all()

    def says(self, pattern):
        """Waits for a line that matches, and returns the first one."""
        def found():
            return next((line for line in self.lines if re.search(pattern, line)), None)

        with self.changed:
            self.changed.wait_for(lambda: found() or self.over, LIMIT)
            expect(found(), f"{self.name} does not log “{pattern}”: {self.lines[-3:]}")
            return found()

    def send(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.end(signal.SIGKILL)

    def end(self, by=signal.SIGTERM):
        """Ends the program and returns its exit status; None if it took a SIGKILL after the time limit."""
        if self.process.poll() is None:
            self.process.send_signal(by)
        try:
            status = self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status = None
        self.reader.join(LIMIT)
        return status


class Broker:
    """A private mosquitto. It sends a message to subscribers before it acknowledges it, and limits no queue."""

    def __init__(self, folder, remembers=False):
        self.folder = folder
        self.remembers = remembers
        # The kernel does not assign the port again soon.
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.start()

    def start(self, remembers=None):
        if remembers is not None:
            self.remembers = remembers
        lines = [
            f"listener {self.port} 127.0.0.1", "allow_anonymous true", "log_dest stderr",
            "max_inflight_messages 0", "max_queued_messages 0", "set_tcp_nodelay true",
        ]
        if os.getuid() == 0:
            lines.append("user root")
        if self.remembers:
            lines += ["persistence true", f"persistence_location {self.folder}/",
                      "autosave_on_changes true", "autosave_interval 1"]
        path = f"{self.folder}/mosquitto.conf"
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
        self.program = Program("mosquitto", "-c", path)
        self.program.says("running")

    def kill(self):
        self.program.kill()

    def end(self):
        self.program.end()


def controller(scenario, gateway, source, *options):
    """Starts a virtual radio behind a socket, and returns it once it listens."""
    program = Program(f"{BIN}/virtual-radio", "--scenario", str(scenario), "--gateway", gateway, "--listen", source, *options)
    program.says("listening")
    return program


class Radio:
    """A virtual radio behind a socket. At its end it writes the number of reports that it delivered."""

    def __init__(self, folder, beacons=4, quiet=()):
        world = dict(WORLD)
        world["beacons"] = [{"major": 1, "minor": 1, "count": beacons, "columns": 20,
                             "spacing": 0.1, "x": 2, "y": 0}]
        with open(f"{folder}/world.json", "w") as file:
            json.dump(world, file)
        self.source, self.path = f"unix:{folder}/radio", f"{folder}/tally.json"
        faults = [word for begin, length in quiet
                  for word in ("--fault", f"{begin}:silent:{length}")]
        self.program = controller(f"{folder}/world.json", "shelf", self.source, "--tally", self.path, *faults)
        self.begun = time.monotonic()

    def end(self):
        """Ends the radio after its host has read all reports; `hosts` then has the delivered counts."""
        expect(self.program.end() == 0, "the virtual radio failed")
        with open(self.path) as file:
            tally = json.load(file)
        names = [(i["uuid"], i["major"], i["minor"]) for i in tally["identities"]]
        self.total = collections.Counter(
            {name: i["delivered"] for name, i in zip(names, tally["identities"])})
        self.hosts = [(host["begun"], collections.Counter(dict(zip(names, host["delivered"]))))
                      for host in tally["hosts"]]
        expect(sum((host for _, host in self.hosts), collections.Counter()) == +self.total,
               "the counts of the radio's hosts differ from its total")


class Run:
    """One run of the agent: when it began and ended (ms since 1970), whether it was killed, and how many reports of each
    beacon the radio may have delivered during its end."""

    def __init__(self):
        self.begun, self.ended, self.killed, self.unread = now(), None, False, 0


def now():
    return time.time() * 1000


class Gateway:
    """A gateway: its radio, its proxy, its state folder, and all runs of its agent."""

    names = itertools.count(1)

    def __init__(self, broker, report=None, outbox=None, mqtt=None, state=None, beacons=4, quiet=(),
                 launcher=()):
        self.id = f"shelf-{next(self.names)}"
        self.folder = tempfile.mkdtemp(prefix=f"{self.id}-", dir=TEMP)
        self.proxy = Proxy(broker.port)
        self.radio = Radio(self.folder, beacons, quiet)
        self.state = state or f"{self.folder}/state"
        self.launcher = launcher
        self.window = (report or {}).get("windowMs", 100)
        self.report = {"windowMs": self.window, "maxSilenceMs": 1000, **(report or {})}
        # This machine's clock may be unsynchronised; Tests/VM tests clocks.
        self.outbox = {"spillAfterMs": 200, "backlogPerSecond": 500, "holdUnsyncedMs": 0, **(outbox or {})}
        self.mqtt = {"host": "127.0.0.1", "port": self.proxy.port, **(mqtt or {})}
        self.runs, self.agent, self.agents = [], None, []

    def start(self, **outbox):
        """Starts the agent, with the given changes to its outbox settings; returns the time (ms since 1970)."""
        path = f"{self.folder}/sightlined.json"
        with open(path, "w") as file:
            json.dump({
                "gateway": {"site": "faults", "id": self.id}, "mqtt": self.mqtt,
                "radio": {"source": f"h4:{self.radio.source}"}, "report": self.report,
                "outbox": {**self.outbox, **outbox}, "stateDirectory": self.state,
            }, file)
        self.runs.append(Run())
        self.agent = Program(*self.launcher, f"{BIN}/sightlined", "--config", path)
        self.agents.append(self.agent)
        return self.runs[-1].begun

    @property
    def words(self):
        """All that its agents have logged."""
        return [line for agent in self.agents for line in agent.lines]

    def kill(self):
        run = self.runs[-1]
        expect(self.agent.process.poll() is None, f"the agent has ended: {self.agent.lines[-5:]}")
        # Before the signal: a batch of the time in between may be stored or lost.
        run.killed, run.killed_at = True, now()
        self.agent.kill()
        run.ended = now()

    def stop(self):
        """Ends the agent with SIGTERM, after it has installed its signal handlers."""
        self.agent.says("msg=")
        status = self.agent.end()
        self.runs[-1].ended = now()
        expect(status == 0, f"the agent ended with {status}: {self.agent.lines[-5:]}")

    def stored(self):
        """The names of the outbox's files."""
        try:
            return [name for name in os.listdir(self.state) if name.startswith("outbox.sqlite")
                    and "damaged" not in name]
        except FileNotFoundError:
            return []

    def drain(self):
        """Ends the radio, waits until the outbox is empty, and ends the agent."""
        self.proxy.open()
        self.radio.end()
        if self.outbox["spillAfterMs"] == 0 and self.agent.process.poll() is None:
            # With spillAfterMs 0 the agent keeps the empty file; otherwise it deletes the file.
            self.stop()
        if self.agent.process.poll() is not None:
            self.start(spillAfterMs=200)
        self.agent.says("MQTT connected")
        until = time.monotonic() + LIMIT
        while self.stored():
            expect(time.monotonic() < until, f"the outbox does not become empty: {self.stored()}")
            expect(self.agent.process.poll() is None, f"the agent ended: {self.agent.lines[-5:]}")
            time.sleep(0.05)
        self.stop()
        expect(not self.stored(), f"files are left: {self.agent.lines[-5:]}")
        self.proxy.close()

    def close(self):
        """Kills the remaining processes."""
        if self.agent:
            self.agent.end(signal.SIGKILL)
        self.radio.program.end(signal.SIGKILL)

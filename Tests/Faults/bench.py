"""What the faults are tried on: a broker, a radio with its world, and an agent with all that is around it."""

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

from relay import Relay

BIN = None  # the folder of the programs: set by run-faults
TEMP = None  # where everything is kept, until the end
WORLD = {
    "seed": 7, "uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0", "advertisingIntervalMs": 100,
    "radio": {"fadingDb": 3}, "gateways": [{"id": "shelf", "x": 0, "y": 0}],
    "noise": {"count": 5, "corner": {"x": 0, "y": 0}, "opposite": {"x": 10, "y": 10}},
}
INTERVAL = 0.1  # a beacon advertises no faster than this, in seconds


class Failed(Exception):
    """What was promised did not come true, as one sentence."""


def expect(condition, sentence):
    if not condition:
        raise Failed(sentence)


class Program:
    """A running program, its output read as it comes; ended with the `with` that holds it."""

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

    def says(self, pattern, seconds=20, after=0):
        """The first line that matches, of those that have come and those to come."""
        def found():
            return next((line for line in self.lines[after:] if re.search(pattern, line)), None)

        with self.changed:
            self.changed.wait_for(lambda: found() or self.over, seconds)
            expect(found(), f"{self.name} does not say “{pattern}”: {self.lines[-3:]}")
            return found()

    def send(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.end(signal.SIGKILL)

    def end(self, by=signal.SIGTERM, seconds=10):
        """Its exit status once it has ended, when it was asked to; None if it had to be forced."""
        if self.process.poll() is None:
            self.process.send_signal(by)
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status = None
        self.reader.join(5)
        return status


class Broker:
    """A mosquitto of our own. It writes to subscribers before it acknowledges, and holds nothing back."""

    def __init__(self, folder, remembers=False):
        self.folder = folder
        self.remembers = remembers
        # Taken and given back: nobody else asks for just this one in the meantime.
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


class Radio:
    """A virtual radio that an agent finds behind a socket, and its world's truth when it has ended."""

    def __init__(self, folder, beacons=4, quiet=()):
        world = dict(WORLD)
        world["beacons"] = [{"major": 1, "minor": 1, "count": beacons, "columns": 20,
                             "spacing": 0.1, "x": 2, "y": 0}]
        with open(f"{folder}/world.json", "w") as file:
            json.dump(world, file)
        self.source, self.path = f"unix:{folder}/radio", f"{folder}/tally.json"
        faults = [word for begin, length in quiet
                  for word in ("--fault", f"{begin}:silent:{length}")]
        self.program = Program(
            f"{BIN}/virtual-radio", "--scenario", f"{folder}/world.json", "--gateway", "shelf",
            "--listen", self.source, "--tally", self.path, *faults)
        self.program.says("listening")
        self.begun = time.monotonic()

    def end(self):
        """Ends it, when its host has all that was reported; then `hosts` says what there was."""
        expect(self.program.end() == 0, "the virtual radio failed")
        with open(self.path) as file:
            tally = json.load(file)
        names = [(i["uuid"], i["major"], i["minor"]) for i in tally["identities"]]
        self.total = collections.Counter(
            {name: i["delivered"] for name, i in zip(names, tally["identities"])})
        self.hosts = [(host["begun"], collections.Counter(dict(zip(names, host["delivered"]))))
                      for host in tally["hosts"]]
        expect(sum((host for _, host in self.hosts), collections.Counter()) == +self.total,
               "the radio's hosts are not its total")


class Run:
    """One run of the agent: when it began and ended (ms of the clock), and whether it was killed."""

    def __init__(self):
        self.begun, self.ended, self.killed = now(), None, False


def now():
    return time.time() * 1000


class Gateway:
    """An agent's place: its radio, its relay, its state, and all its runs."""

    names = itertools.count(1)

    def __init__(self, broker, report=None, outbox=None, mqtt=None, state=None, beacons=4, quiet=(),
                 launcher=()):
        self.id = f"shelf-{next(self.names)}"
        self.folder = tempfile.mkdtemp(prefix=f"{self.id}-", dir=TEMP)
        self.relay = Relay(broker.port)
        self.radio = Radio(self.folder, beacons, quiet)
        self.state = state or f"{self.folder}/state"
        self.launcher = launcher
        self.window = (report or {}).get("windowMs", 100)
        self.report = {"windowMs": self.window, "maxSilenceMs": 1000, **(report or {})}
        # Nobody may have set this machine's clock: that is tried elsewhere.
        self.outbox = {"spillAfterMs": 200, "backlogPerSecond": 500, "holdUnsyncedMs": 0, **(outbox or {})}
        self.mqtt = {"host": "127.0.0.1", "port": self.relay.port, **(mqtt or {})}
        self.runs, self.agent, self.agents = [], None, []

    def start(self, **outbox):
        """Starts the agent, with other settings of the outbox if so wanted; says when (ms of the clock)."""
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
        # Before: what happens between here and the signal is open to be lost or kept.
        run.killed, run.killed_at = True, now()
        self.agent.kill()
        run.ended = now()

    def stop(self):
        """Ends the agent in good order, once it has begun to listen to signals."""
        self.agent.says("msg=")
        status = self.agent.end()
        self.runs[-1].ended = now()
        expect(status == 0, f"the agent ended with {status}: {self.agent.lines[-5:]}")

    def stored(self):
        """What is in the state's folder of the outbox."""
        try:
            return [name for name in os.listdir(self.state) if name.startswith("outbox.sqlite")
                    and "damaged" not in name]
        except FileNotFoundError:
            return []

    def drain(self, seconds=60):
        """Ends the radio, then the agent when everything has been delivered: nothing is left anywhere."""
        self.relay.open()
        self.radio.end()
        if self.outbox["spillAfterMs"] == 0 and self.agent.process.poll() is None:
            # With write-ahead the file stays; without, it goes when it is empty.
            self.stop()
        if self.agent.process.poll() is not None:
            self.start(spillAfterMs=200)
        self.agent.says("msg=connected", seconds)
        until = time.monotonic() + seconds
        while self.stored():
            expect(time.monotonic() < until, f"the outbox does not become empty: {self.stored()}")
            expect(self.agent.process.poll() is None, f"the agent ended: {self.agent.lines[-5:]}")
            time.sleep(0.05)
        self.stop()
        expect(not self.stored(), f"something is left: {self.agent.lines[-5:]}")
        self.relay.close()

    def close(self):
        """Whatever happened, nothing of it goes on."""
        if self.agent:
            self.agent.end(signal.SIGKILL)
        self.radio.program.end(signal.SIGKILL)

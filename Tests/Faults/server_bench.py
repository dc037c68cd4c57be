"""A world of Tests/QueueBench, a broker and sightline-server, and the comparison of its results with `sightline queue`."""

import functools
import http.client
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time

import mqtt

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIMIT = 300
sys.path.insert(0, f"{ROOT}/Tests/QueueBench")
from little import residual_ms  # noqa: E402


class Failed(Exception):
    pass


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def eventually(condition, what):
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise Failed(f"{what() if callable(what) else what} did not happen within {LIMIT} s")


@functools.cache
def noon():
    """A time zone in which the run begins at about noon, so that no day ends. A restart keeps it: another zone has other days."""
    offset = 12 - time.gmtime().tm_hour
    return f"NOON{-offset:+d}"


def isolate():
    """Starts this program again in a mount namespace, if the machine allows one: its mounts stay private."""
    if "FAULTS_MAY_MOUNT" in os.environ:
        return True
    for flags in ("-m", "-Urm"):
        test = ["unshare", flags, "sh", "-c", "mount -t tmpfs none /tmp"]
        if subprocess.run(test, capture_output=True).returncode == 0:
            os.environ["FAULTS_MAY_MOUNT"] = flags
            os.execvp("unshare", ["unshare", flags, sys.executable, *sys.argv])
    return False


def fill(folder):
    """Fills the file system of a folder; returns the file to remove."""
    path = f"{folder}/ballast"
    with open(path, "wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)) == 4096:
                pass
        except OSError:
            pass
    return path


QUIET = 600


def quiet(last):
    """Ten minutes without a beacon after the message `last`. All presences end; one that lasts would keep its minutes from being final."""
    start = last["window"]["end"]
    for number in range(QUIET):
        window = {"start": start + number * 1000, "end": start + number * 1000 + 1000}
        yield last | {"seq": last["seq"] + 1 + number, "window": window, "radio": last["radio"] | {"reports": 0, "beacons": 0}, "sightings": []}


class World:
    """Messages of an hour and ten quiet minutes until now, from two gateways."""

    def __init__(self, folder, seed):
        self.folder = folder
        subprocess.run([f"{ROOT}/Tests/QueueBench/simulate", "--hours", "1", "--seed", str(seed), "--folder", folder],
                       check=True, stdout=subprocess.DEVNULL)
        with open(f"{folder}/messages.jsonl", encoding="utf-8") as file:
            messages = [json.loads(line.partition(" ")[2] if line[0] != "{" else line) for line in file]
        latest = {message["gateway"]: message for message in messages}.values()
        messages += [message for step in zip(*map(quiet, latest)) for message in step]
        newest = max(message["window"]["end"] for message in messages)
        shift = int(time.time()) * 1000 - 5000 - newest
        shift -= shift % 60_000
        for message in messages:
            message["window"]["start"] += shift
            message["window"]["end"] += shift
        self.messages = []
        self.path = f"{folder}/shifted.jsonl"
        self.add(messages)
        with open(f"{folder}/queues.json", encoding="utf-8") as file:
            self.queues = json.load(file)

    def add(self, messages):
        self.messages += messages
        with open(self.path, "a", encoding="utf-8") as file:
            file.writelines(json.dumps(message) + "\n" for message in messages)

    def disturbed(self, chance, backlogs=0):
        """The messages in a random order of near ones, some of them twice; and gateways that are cut off for minutes."""
        messages = self.messages + chance.sample(self.messages, len(self.messages) // 20)
        order = {id(message): index for index, message in enumerate(self.messages)}
        places = [(order[id(message)] + chance.uniform(0, 40), message) for message in messages]
        for _ in range(backlogs):
            gateway = chance.choice(self.messages)["gateway"]
            start, length = chance.uniform(0, len(order) * 0.8), chance.uniform(60, len(order) / 5)
            places = [(start + length + (place - start) / 100, message)
                      if message["gateway"] == gateway and start <= place < start + length else (place, message)
                      for place, message in places]
        return [message for _, message in sorted(places, key=lambda one: one[0])]

    def expected(self, program):
        """The final minutes by queue and start, and the visits, of the program `sightline queue`."""
        lines = subprocess.run([program, "queue", "--config", f"{self.folder}/queues.json", "--input", self.path],
                               check=True, capture_output=True, text=True).stdout.splitlines()
        results = [json.loads(line) for line in lines]
        minutes = {(one["queue"], one["start"]): without(one, "rev") for one in results if one.get("kind") == "minute"}
        return minutes, [one for one in results if one.get("kind") == "visit"]


class Broker:
    limits = ""  # further lines of the configuration

    def __init__(self, folder):
        self.port, self.folder, self.process = free_port(), folder, None
        with open(f"{folder}/broker.conf", "w", encoding="utf-8") as file:
            file.write(f"listener {self.port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n{self.limits}"
                       f"persistence true\npersistence_location {folder}/\nuser root\n")
        self.start()

    def start(self):
        self.process = subprocess.Popen(["mosquitto", "-c", f"{self.folder}/broker.conf"], stderr=subprocess.DEVNULL,
                                        env=os.environ | {"PATH": os.environ["PATH"] + ":/usr/sbin"})
        eventually(lambda: socket.socket().connect_ex(("127.0.0.1", self.port)) == 0, "the broker's start")

    def end(self, number=signal.SIGKILL):
        self.process.send_signal(number)
        self.process.wait(LIMIT)

    def restart(self, number):
        self.end(number)
        self.start()


class Publisher:
    """Publishes with QoS 1, many messages at a time, over one connection of MQTT 3.1.1."""

    def __init__(self, port):
        self.port, self.socket = port, None

    def send(self, message):
        self.write(f"sightline/v1/{message['site']}/{message['gateway']}/sightings", json.dumps(message).encode())

    def write(self, topic, payload):
        if self.socket is None:
            self.connect()
        self.sent += 1
        number = self.sent % 65_535 + 1
        self.waiting += mqtt.packet(mqtt.PUBLISH << 4 | 2, mqtt.text(topic) + number.to_bytes(2, "big") + payload)
        if len(self.waiting) > 100_000:
            self.flush()

    def flush(self):
        if self.socket is not None:
            data, self.waiting = self.waiting, b""
            self.socket.sendall(data)

    def finish(self):
        """Waits until the broker has everything, and ends the connection."""
        if self.socket is None:
            return
        self.flush()
        eventually(lambda: self.answered >= self.sent, lambda: f"the broker's answer to {self.sent} messages, of which it has {self.answered},")
        self.socket.close()
        self.socket = None

    def connect(self):
        self.socket, self.sent, self.answered, self.waiting = socket.create_connection(("127.0.0.1", self.port), LIMIT), 0, 0, b""
        self.socket.sendall(mqtt.packet(mqtt.CONNECT << 4, mqtt.text("MQTT") + b"\x04\x02\x00\x00" + mqtt.text(f"writer-{id(self)}")))
        threading.Thread(target=self.read, args=[self.socket], daemon=True).start()

    def read(self, connection):
        frames = mqtt.Frames()
        try:
            while data := connection.recv(65536):
                self.answered += sum(mqtt.kind(frame) == mqtt.PUBACK for frame in frames.take(data))
        except OSError:
            pass


class Server:
    def __init__(self, program, folder, port, queues, state=None, database=None):
        self.folder, self.process, self.kills, self.database = folder, None, 0, database
        self.state = state or f"{folder}/state"
        self.program, self.log = program, open(f"{folder}/server.log", "w", encoding="utf-8")
        configuration = {"mqtt": {"host": "127.0.0.1", "port": port}, "stateDirectory": self.state,
                         "http": {"listen": f"unix:{folder}/http"}, **queues}
        if database:
            configuration["store"] = {"postgres": database.settings}
        with open(f"{folder}/server.json", "w", encoding="utf-8") as file:
            json.dump(configuration, file)
        os.makedirs(f"{folder}/run", exist_ok=True)
        self.start()
        # The first connection makes the session for which the broker keeps messages.
        self.says("MQTT connected")

    def start(self):
        self.process = subprocess.Popen(
            [*self.command, "--config", f"{self.folder}/server.json"], stderr=self.log, env=self.environment)

    @property
    def command(self):
        return [self.program]

    @property
    def environment(self):
        return os.environ | {"TZ": noon(), "RUNTIME_DIRECTORY": f"{self.folder}/run"}

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.kills += 1
        self.start()

    def stop(self):
        self.process.terminate()
        if self.process.wait(LIMIT) != 0:
            raise Failed(f"the server ended with {self.process.returncode}")

    @property
    def text(self):
        with open(f"{self.folder}/server.log", encoding="utf-8") as file:
            return file.read()

    def says(self, words, times=1):
        eventually(lambda: self.text.count(words) >= times, f"the log line '{words}', {times} times,")

    def get(self, path):
        """The status and the body of an answer; (0, "") where there is none."""
        connection = http.client.HTTPConnection("localhost", timeout=10)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(10)
        try:
            connection.sock.connect(f"{self.folder}/http")
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException):
            return 0, ""
        finally:
            connection.close()

    def query(self, text):
        if self.database:
            return self.database.query(text)
        try:
            with sqlite3.connect(f"file:{self.state}/server.sqlite?mode=ro", uri=True, timeout=10) as store:
                return store.execute(text).fetchall()
        except sqlite3.Error:
            return []

    @property
    def memory(self):
        """Resident memory in MiB, and the highest so far."""
        with open(f"/proc/{self.process.pid}/status", encoding="utf-8") as file:
            values = dict(line.split(":", 1) for line in file)
        return tuple(int(values[name].split()[0]) / 1024 for name in ("VmRSS", "VmHWM"))

    @property
    def kept_waiting(self):
        """Seconds for which the machine has let a thread of the server wait for a processor (the kernel's schedstat)."""
        waits = []
        for thread in os.listdir(f"/proc/{self.process.pid}/task"):
            with open(f"/proc/{self.process.pid}/task/{thread}/schedstat", encoding="utf-8") as file:
                waits.append(int(file.read().split()[1]) / 1e9)
        return max(waits)

    def wait_for_all(self, world):
        count = len(world.messages)
        eventually(lambda: self.query("SELECT count(*) FROM facts") == [(count,)],
                   lambda: f"{count} messages in the store, which has {self.query('SELECT count(*) FROM facts')} "
                           f"and counted {self.query('SELECT gateway,outcome,count FROM counters')},")

    def compare(self, world, program):
        """Stops the server, and compares its final results with those of `sightline queue`. Returns a line and whether they are equal."""
        minutes, visits = world.expected(program)
        # The last minutes wait for messages that may come late.
        last = max(start for _, start in minutes) - 120_000

        def stored():
            rows = self.query(f"SELECT document FROM minutes WHERE final=1 AND start<={last}")
            return len(rows) >= len([1 for _, start in minutes if start <= last]) and rows

        rows = eventually(stored, "final minutes")
        self.stop()
        found = [json.loads(row[0]) for row in rows]
        wrong = [one for one in found if minutes.get((one["queue"], one["start"])) != without(one, "rev")]
        for one in wrong[:3]:
            print(f"  stored:   {one}\n  expected: {minutes.get((one['queue'], one['start']))}")
        through = last - 60_000
        there = sorted(canonical(json.loads(row[0])) for row in self.query(f'SELECT document FROM visits WHERE "left"<={through}'))
        here = sorted(canonical(one) for one in visits if one["left"] <= through)
        every = [json.loads(row[0]) for row in self.query("SELECT document FROM visits")]
        residual, known = residual_ms(found, every)
        line = (f"{len(found)} final minutes, {len(wrong)} of them differ, {len(there)} visits, "
                f"{len(set(there) ^ set(here))} differ, Little's residual {residual} ms in {known} known minutes")
        return line, not wrong and there == here and bool(there) and residual == 0 and known > 0


def without(document, *names):
    return {name: value for name, value in document.items() if name not in names}


def canonical(document):
    return json.dumps(document, separators=(",", ":"))

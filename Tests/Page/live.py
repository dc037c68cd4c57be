"""A real sightline-server before the page: a real broker feeds it with the messages of two simulated queues, until now and on."""

import glob
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
PAGE = os.path.join(ROOT, "Sources/Server/Page")
sys.path.insert(0, os.path.join(ROOT, "Tests/Faults"))
import mqtt  # noqa: E402
import server_bench as bench  # noqa: E402

SITE = "store-042"
# Seconds of the simulation before the test begins. The rest, more than half an hour, follows while the tests run.
HISTORY = 1680
# Queue, seed, tills, names of the gateways at entry and tills. Equal arguments give equal people.
SIMULATIONS = (("checkout", 3, 2, ("entry-1", "till-1", "till-2")), ("bakery", 5, 1, ("entry-2", "till-3")))
QUEUES = [{"queue": name, "entry": [gateways[0]], "till": list(gateways[1:])} for name, _, _, gateways in SIMULATIONS]
QUEUES[0] |= {"coverage": {"percent": 30, "lowPercent": 25, "highPercent": 35}, "targetWaitMs": 60_000}
GATEWAYS = [gateway for *_, gateways in SIMULATIONS for gateway in gateways]
# A fleet that is not quite well.
STATES = {gateway: "degraded" if gateway == "till-2" else "online" for gateway in GATEWAYS}
# A gateway without a message counts as silent after this time.
SILENT_MS = 15_000


def found_program():
    """The newest optimised server among those that packaging/test has built; None if there is none."""
    return max(glob.glob(os.path.join(ROOT, ".build/tests/*/release/sightline-server")), key=os.path.getmtime, default=None)


def simulated():
    """The messages of each second, all gateways together. The windows count from the first second."""
    seconds, staff = [], []
    for number, (_, seed, tills, names) in enumerate(SIMULATIONS):
        with tempfile.TemporaryDirectory(prefix="page-world-") as folder:
            subprocess.run([f"{ROOT}/Tests/QueueBench/simulate", "--hours", "1", "--seed", str(seed), "--tills", str(tills), "--passers", "2", "--folder", folder],
                           check=True, stderr=subprocess.DEVNULL)
            with open(f"{folder}/messages.jsonl", encoding="utf-8") as file:
                messages = [json.loads(line) for line in file]
            with open(f"{folder}/queues.json", encoding="utf-8") as file:
                staff += json.load(file)["sites"][0]["beacons"]["staff"]
        staff[-1]["major"] = [number, number]
        begin = messages[0]["window"]["start"]
        places = dict(zip(["entry-1", *(f"till-{till + 1}" for till in range(tills))], names))
        for message in messages:
            second = (message["window"]["start"] - begin) // 1000
            while len(seconds) <= second:
                seconds.append([])
            # People of the two queues have different beacons.
            for sighting in message["sightings"]:
                sighting["major"] += number
            seconds[second].append(message | {"site": SITE, "gateway": places[message["gateway"]], "session": f"live-{places[message['gateway']]}"})
    return seconds, staff


class Retained(bench.Publisher):
    """Publishes the states of gateways, which the broker keeps."""

    def keep(self, gateway, kind, document):
        if self.socket is None:
            self.connect()
        self.sent += 1
        topic = mqtt.text(f"sightline/v1/{SITE}/{gateway}/{kind}")
        self.socket.sendall(mqtt.packet(mqtt.PUBLISH << 4 | 3, topic + (self.sent % 65_535 + 1).to_bytes(2, "big") + json.dumps(document).encode()))


class Feed:
    """All gateways: publishes the past at once, and then each second's windows when the second is over."""

    def __init__(self, port, seconds):
        self.writer, self.seconds, self.silent, self.failure = bench.Publisher(port), seconds, set(), None
        self.begin = int(time.time()) - HISTORY
        self.describe(port)
        for number in range(HISTORY):
            self.publish(number)
        self.writer.finish()
        self.is_ending = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def describe(self, port):
        """The states of the gateways, from the contract's examples."""
        writer = Retained(port)
        for number, gateway in enumerate(GATEWAYS):
            session = {"session": f"live-{gateway}"}
            writer.keep(gateway, "status", example("status.online") | session | {"state": STATES[gateway]})
            health = example("health") | session
            health["outbox"]["batches"] = number
            writer.keep(gateway, "health", health)
        writer.keep("till-1", "config/reported", example("config-reported.applied") | {"session": "live-till-1"})
        writer.finish()

    def publish(self, number):
        start = (self.begin + number) * 1000
        for message in self.seconds[number]:
            if message["gateway"] not in self.silent:
                self.writer.send(message | {"window": {"start": start, "end": start + 1000}})

    def run(self):
        try:
            for number in range(HISTORY, len(self.seconds)):
                # As late as a gateway.
                if self.is_ending.wait(max(0, self.begin + number + 1.1 - time.time())):
                    return
                self.publish(number)
                self.writer.flush()
        except Exception as error:
            self.failure = error

    def end(self):
        self.is_ending.set()
        self.thread.join()
        if self.failure:
            raise self.failure


def example(name):
    with open(os.path.join(ROOT, "config/contract/examples", f"{name}.json"), encoding="utf-8") as file:
        return json.load(file)


def read(url):
    with urllib.request.urlopen(url, timeout=bench.LIMIT) as answer:
        return json.load(answer)


def has_past(queue):
    """Whether the server has computed the last minutes."""
    return all(people is not None for _, people in queue["trend"][-15:])


class LiveServer(bench.Server):
    page = PAGE

    @property
    def command(self):
        return [self.program, "--page", self.page]

    @property
    def environment(self):
        # A zone with a name, in which it is about noon: no day ends during the test.
        return super().environment | {"TZ": f"Etc/GMT{time.gmtime().tm_hour - 12:+d}"}

    def end(self):
        """A kill without a successor."""
        self.process.kill()
        self.process.wait()
        self.kills += 1

    def ensure(self):
        """Starts the server if it does not run."""
        if self.process.poll() is not None:
            self.start()


class Live:
    """Broker, server and gateways, with numbers of both queues."""

    simulation = None

    def __init__(self, program):
        Live.simulation = Live.simulation or simulated()
        seconds, staff = Live.simulation
        self.folder = tempfile.TemporaryDirectory(prefix="page-live-")
        self.broker = self.server = self.feed = None
        try:
            self.broker = bench.Broker(self.folder.name)
            self.port = bench.free_port()
            self.url = f"http://127.0.0.1:{self.port}/"
            site = {"site": SITE, "queues": QUEUES, "beacons": {"staff": staff}, "learningSeconds": 300}
            self.server = LiveServer(program, self.folder.name, self.broker.port, {"sites": [site], "allowedLatenessMs": 60_000, "http": {"listen": f"127.0.0.1:{self.port}"}})
            self.feed = Feed(self.broker.port, seconds)
            # A running server computes the past in steps of half a minute; one that starts, at once.
            bench.eventually(lambda: self.server.query("SELECT count(*) FROM facts") >= [(HISTORY * len(GATEWAYS),)], "the past in the store")
            self.server.kill()
            bench.eventually(self.is_settled, "a past and a wait in each queue, and a state of each gateway")
        except BaseException:
            self.end()
            raise

    def get(self, path):
        return read(f"{self.url}api/v1/{path}")

    def is_settled(self):
        """Whether a server that has started has its broker, and knows all queues and gateways again.

        The first windows may come a second before the states that the broker keeps: until then, all gateways are online.
        """
        try:
            now = self.snapshot()
        except OSError:
            return False
        return (now["server"]["connected"] and now["server"]["startingPercent"] is None and all(one["wait"] and has_past(one) for one in now["queues"])
                and {one["gateway"]: one["state"] for one in now["gateways"]} == STATES)

    def queues(self):
        return self.get(f"sites/{SITE}/queues")["queues"]

    def snapshot(self):
        """The first event of the stream."""
        with urllib.request.urlopen(f"{self.url}api/v1/stream?site={SITE}", timeout=bench.LIMIT) as answer:
            for line in answer:
                if line.startswith(b"data:"):
                    return json.loads(line[5:])

    def end(self):
        try:
            if self.feed:
                self.feed.end()
        finally:
            if self.server:
                self.server.end()
                self.server.log.close()
            if self.broker:
                self.broker.end()
            self.folder.cleanup()

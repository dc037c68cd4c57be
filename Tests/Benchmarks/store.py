"""Eight gateways of a store, sightline-server and its browsers, for the parts of the benchmark that measure the server."""

import collections
import contextlib
import json
import os
import random
import re
import selectors
import socket
import tempfile
import threading
import time

import figures
import server_bench
from processor import processes_of

GATEWAYS = [f"{place}-{number}" for number in (1, 2) for place in ("entry", "till", "express", "along")]
QUEUES = [{"queue": f"queue-{number}", "entry": [f"entry-{number}"], "till": [f"till-{number}", f"express-{number}"],
           "along": [f"along-{number}"]} for number in (1, 2)]
TAGS = 25  # a message
# The times and the number of each message are its own; the sightings are those of a second of the pool.
MESSAGE = ('{"v":1,"site":"%s","gateway":"%s","session":"0198c9a2-6f0e-7a51-9d0b-000000000001","seq":%d,'
           '"window":{"start":%d,"end":%d},"clock":"synced","radio":{"reports":125,"beacons":120,"filtered":0,'
           '"malformed":0,"implausible":0,"dropped":0},"sightings":%s}')


def sighting(rng, minor):
    level = round(rng.gauss(-68, 6), 1)
    return {"type": "ibeacon", "uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0", "major": 42, "minor": minor,
            "measuredPower": -59, "count": 5, "rssi": {"min": int(level) - 4, "max": int(level) + 3, "mean": level,
                                                       "stddev": 3.1, "last": int(level)},
            "power": {"mean": round(level + 1, 1), "centroid": rng.randrange(1000)}, "firstSeen": rng.randrange(300),
            "lastSeen": rng.randrange(700, 1000), "maxAt": rng.randrange(300, 700), "senders": 1}


def pool(tags, first):
    """The sightings of the seconds of ten minutes, with beacons from `first` on: every 20 s, one comes and one leaves."""
    rng = random.Random(first)
    return [json.dumps([sighting(rng, first + second // 20 + tag) for tag in range(tags)], separators=(",", ":"))
            for second in range(600)]


class Gateways:
    """Gateways that send a window each second, of the present or of the past."""

    def __init__(self, port, sites=("store",), names=GATEWAYS, tags=TAGS):
        self.publisher, self.sent = server_bench.Publisher(port), 0
        # The gateways of each queue hear the same beacons.
        self.pools = {name[-1]: pool(tags, int(name[-1]) * 1000) for name in names}
        self.places = [(site, name) for site in sites for name in names]

    def write(self, second, places=None, is_open=True):
        """Writes the windows that end with `second`."""
        for site, name in places or self.places:
            sightings = self.pools[name[-1]][second % 600] if is_open else "[]"
            text = MESSAGE % (site, name, second, second * 1000 - 1000, second * 1000, sightings)
            self.publisher.write(f"sightline/v1/{site}/{name}/sightings", text.encode())
            self.sent += 1

    def closed(self, seconds):
        """Sends windows of a store that is not open yet: nobody is in line when the first person comes."""
        for second in seconds:
            self.write(second, is_open=False)
        self.publisher.finish()

    def backlog(self, seconds, rate=None):
        """Sends windows of the past: a number of seconds in each message, or as fast as the broker takes them."""
        begun = time.monotonic()
        for number, second in enumerate(seconds):
            if rate and number % 4 == 0:
                self.publisher.flush()
                time.sleep(max(0, begun + number / rate - time.monotonic()))
            self.write(second)
            while self.publisher.sent - self.publisher.answered > 5000:
                self.publisher.flush()
                time.sleep(0.001)
        self.publisher.finish()

    def live(self, seconds, spread=0.02):
        """Sends the windows of each second within `spread` after its end. Yields the second, and the time of its last message."""
        for _ in range(seconds):
            second = int(time.time()) + 1
            for number, place in enumerate(random.Random(second).sample(self.places, len(self.places))):
                time.sleep(max(0, second + spread * number / len(self.places) - time.time()))
                self.write(second, [place])
                self.publisher.flush()
            yield second, time.time()

    def burst(self):
        """Sends all windows at once at the end of the present second."""
        second = int(time.time()) + 1
        time.sleep(max(0, second - time.time()))
        self.write(second)
        self.publisher.flush()


class Broker(server_bench.Broker):
    """The broker with the limit of config/mosquitto."""

    limits = "max_inflight_messages 200\nset_tcp_nodelay true\n"


class Server(server_bench.Server):
    """The server, between two and three o'clock in the morning: its day has 22 hours already."""

    @property
    def environment(self):
        return super().environment | {"TZ": f"LATE{time.gmtime().tm_hour - 2:+d}"}


def site(name="store", queues=QUEUES):
    return {"site": name, "learningSeconds": 0, "queues": queues}


@contextlib.contextmanager
def running(sites, kind=Server):
    """A broker, and a server with these sites if there are any."""
    with tempfile.TemporaryDirectory(dir=figures.TEMP) as folder:
        broker = Broker(folder)
        server = None
        try:
            if sites:
                server = kind(f"{figures.BIN}/sightline-server", folder, broker.port, {"sites": sites})
            yield broker, server
        finally:
            if server and server.process.poll() is None:
                server.process.kill()
                server.process.wait()
            broker.end()


def stored(server):
    """The messages that the server has counted."""
    _, text = server.get("/metrics")
    return sum(map(int, re.findall(r'server_messages_total\{[^}]*outcome="new"\} (\d+)', text)))


def wait_for(count, number):
    server_bench.eventually(lambda: count() >= number, lambda: f"{number} stored messages, instead of {count()},")


def resident(pid):
    """Resident memory in MiB of a program with its children: all of it, and the part that is not of a file.

    The children share the files of their parent, and what is in them counts once."""
    own, *others = map(memory, processes_of(pid))
    private = sum(sizes["Private_Clean"] + sizes["Private_Dirty"] for sizes in others)
    return own["Rss"] + private, own["Anonymous"] + sum(sizes["Anonymous"] for sizes in others)


def memory(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
        return {name: int(size) / 1024 for name, size in re.findall(r"(\w+): +(\d+) kB", file.read())}


class Questions(threading.Thread):
    """Asks the server again and again, as a page does when it is opened."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.begun, self.first, self.slowest, self.is_ending = server, time.monotonic(), None, 0, False
        self.start()

    def run(self):
        while not self.is_ending:
            asked = time.monotonic()
            status, _ = self.server.get("/api/v1/sites")
            if status == 200:
                self.first = self.first or time.monotonic() - self.begun
                self.slowest = max(self.slowest, time.monotonic() - asked)
            time.sleep(0.01)

    def end(self):
        self.is_ending = True
        self.join()


class Browsers(threading.Thread):
    """Pages that follow the event stream, and the time of arrival of each queue's state."""

    def __init__(self, path, count):
        super().__init__(daemon=True)
        self.count, self.arrivals, self.events, self.bytes, self.selector = count, [], 0, 0, selectors.DefaultSelector()
        for _ in range(count):
            client = socket.socket(socket.AF_UNIX)
            client.connect(path)
            client.sendall(b"GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.selector.register(client, selectors.EVENT_READ, [b""])
        self.start()

    def run(self):
        while self.selector.get_map():
            for key, _ in self.selector.select(1):
                data, at = key.fileobj.recv(1 << 18), time.time()
                if not data:
                    self.selector.unregister(key.fileobj)
                *events, key.data[0] = (key.data[0] + data).split(b"\n\n")
                self.events += len(events)
                self.bytes += len(data)
                self.arrivals += [(at, event) for event in events if b"event: queue\n" in event]

    def delays(self, sent):
        """For each state on each page: the time since the last message of its second, in ascending order."""
        times = [(at, re.search(rb'"at":(\d+)', event)) for at, event in self.arrivals]
        return sorted(at - sent[int(end[1])] for at, end in times if end and int(end[1]) in sent)

    def states(self, sent):
        """How many states of these seconds any page got, and how many of them each page got. The last second may be under way."""
        last = max(sent)
        pages = [re.search(rb'"queue":"([^"]*)".*?"at":(\d+)', event, re.S) for _, event in self.arrivals]
        counts = collections.Counter(found.groups() for found in pages if found and int(found[2]) in sent and int(found[2]) < last)
        return len(counts), sum(count == self.count for count in counts.values())

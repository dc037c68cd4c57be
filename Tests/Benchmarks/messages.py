"""From messages in files to the results of queues, beside a program that only parses them."""

import json
import os
import random
import sys

import figures
from figures import Row

GATEWAYS = [("entry-%d", "entry"), ("till-%d", "till")]
QUEUES = 4  # of two gateways each
MINUTES = 20
SIGHTINGS = 10  # a message
START = 1_780_002_000_000
DAY = 86_400
TURNS = 3
PARSE = "import json, sys\nfor line in open(sys.argv[1], 'rb'): json.loads(line)"


def signal(rng):
    level = rng.gauss(-68, 6)
    return {"rssi": {"min": round(level - 4), "max": round(level + 3), "mean": round(level, 1),
                     "stddev": round(rng.uniform(1, 6), 2), "last": round(level)},
            "power": {"mean": round(level + 1, 1), "centroid": rng.randrange(1000)}}


def sighting(rng, minor):
    return {"type": "ibeacon", "uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0", "major": 42, "minor": minor,
            "measuredPower": -59, "count": rng.randrange(1, 11), **signal(rng), "firstSeen": rng.randrange(300),
            "lastSeen": rng.randrange(700, 1000), "maxAt": rng.randrange(300, 700), "senders": 1}


def message(rng, gateway, second):
    """Ten people around each gateway; each of them stays for five minutes."""
    first = second // 30 + queue_of(gateway) * 1000
    return {"v": 1, "site": "bench", "gateway": gateway, "session": "0198c9a2-6f0e-7a51-9d0b-" + gateway.rjust(12, "0"),
            "seq": second, "window": {"start": START + second * 1000, "end": START + second * 1000 + 1000},
            "clock": "synced", "radio": {"reports": 60, "beacons": 55, "filtered": 0, "malformed": 0,
                                         "implausible": 0, "dropped": 0},
            "sightings": [sighting(rng, first + person) for person in range(SIGHTINGS)]}


def queue_of(gateway):
    """The queue of a gateway: its two gateways see the same people."""
    return int(gateway.rpartition("-")[2])


def messages():
    """The time for a day of eight gateways, extrapolated from twenty minutes. It has no truth: only time counts."""
    rng = random.Random(7)
    names = [name % queue for queue in range(1, QUEUES + 1) for name, _ in GATEWAYS]
    path = os.path.join(figures.TEMP, "messages.jsonl")
    with open(path, "w") as file:
        for second in range(MINUTES * 60):
            for name in names:
                file.write(json.dumps(message(rng, name, second), separators=(",", ":")) + "\n")
    layout = os.path.join(figures.TEMP, "queues.json")
    with open(layout, "w") as file:
        queues = [{"queue": f"queue-{queue}", **{role: [name % queue] for name, role in GATEWAYS}}
                  for queue in range(1, QUEUES + 1)]
        json.dump({"sites": [{"site": "bench", "queues": queues}]}, file)
    command = [f"{figures.BIN}/sightline", "queue", "--config", layout, "--input", path]
    ours, theirs = figures.alternating(
        TURNS, lambda: figures.cpu_seconds(command), lambda: figures.cpu_seconds([sys.executable, "-c", PARSE, path]))
    count = MINUTES * 60 * len(names)
    day = ours * DAY / (MINUTES * 60)
    yield Row(f"queue, a message of {SIGHTINGS} sightings", f"{ours / count * 1e6:.0f} µs", "",
              f"{theirs / count * 1e6:.0f} µs", f"{theirs / ours:.2f}")
    yield Row("  a day of 8 gateways from files, 72 times twenty minutes", f"{day:.0f} s", "< 90 s", kept=day < 90)

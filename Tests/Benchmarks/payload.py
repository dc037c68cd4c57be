"""The length of messages, and methods to shorten them."""

import json
import os
import re
import shutil
import subprocess
import time
import zlib

import figures
from figures import Row

TOPIC = "sightline/v1/store-042/entry-1/sightings"
SIZES = [10, 100, 500]


def overhead():
    """Bytes around a payload in a PUBLISH of MQTT 5, QoS 1 (3.3): head, topic, packet identifier, properties."""
    return 1 + 3 + 2 + len(TOPIC) + 2 + 1


def messages(size):
    path = figures.capture("payload", "--beacons", size, "--seconds", 30)
    lines = subprocess.run(figures.replay(path), stdout=subprocess.PIPE, check=True).stdout
    return [line for line in lines.splitlines() if json.loads(line)["sightings"]]


def deflated(payloads, level):
    """Compresses each message separately; returns the total bytes and the seconds."""
    begun = time.process_time()
    total = sum(len(zlib.compress(payload, level)) for payload in payloads)
    return total, time.process_time() - begun


def zstandard(payloads, level):
    """The same from zstd's own benchmark, which compresses each file separately."""
    folder = os.path.join(figures.TEMP, "payloads")
    os.makedirs(folder)
    for number, payload in enumerate(payloads):
        with open(f"{folder}/{number:04}", "wb") as file:
            file.write(payload)
    # -b LEVEL: in memory; the last line has the bytes and the speed in MB/s.
    said = subprocess.run(["zstd", f"-b{level}", "-i1", "-r", folder], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True).stdout
    shutil.rmtree(folder)
    total, speed = re.findall(r"-> *(\d+) .*?([\d.]+) MB/s", said)[-1]
    return int(total), sum(map(len, payloads)) / (float(speed) * 1e6)


def payload():
    """The contract's JSON, and the gain and cost of topic aliases and compression."""
    for size in SIZES:
        payloads = messages(size)
        plain, count = sum(map(len, payloads)), len(payloads)
        sightings = sum(len(json.loads(line)["sightings"]) for line in payloads)
        each = (plain + overhead() * count) / sightings
        yield Row(f"message of {size} sightings, a sighting", f"{each:.0f} B")
        # An alias replaces the topic, and needs its own property (3.3.2.3.4).
        saved = (len(TOPIC) - 3) * count
        yield Row("  with a topic alias", f"{each - saved / sightings:.0f} B", "",
                  f"{each:.0f} B", f"{1 - saved / sightings / each:.3f}")
        for name, pack, level in [("zlib 1", deflated, 1), ("zlib 6", deflated, 6),
                                  ("zstd 1", zstandard, 1), ("zstd 3", zstandard, 3)]:
            if pack is zstandard and not shutil.which("zstd"):
                continue
            total, seconds = pack(payloads, level)
            packed = (total + overhead() * count) / sightings
            yield Row(f"  {name}, {seconds / sightings * 1e6:.2f} µs a sighting",
                      f"{packed:.0f} B", "", f"{each:.0f} B", f"{packed / each:.2f}")

"""sightline-server beside many beacons on a plan, and many sites for a long time."""

import json
import math
import os
import random
import re
import time

import figures
import server_bench
import store
from figures import Row
from processor import processor_of_all
from store import GATEWAYS, MESSAGE, QUEUES, Gateways, resident, running, site, stored, wait_for

BEACONS = int(os.environ.get("BENCHMARK_BEACONS", 1000))
PLACES = {name: (number % 4 * 16 + 6, number // 4 * 36 + 12) for number, name in enumerate(GATEWAYS)}
SIDE = 60  # metres
WARM_UP = 60  # seconds; the first windows of gateways wait for earlier ones so long
SECONDS = 60
VARIANTS = 20
MOST = 500  # sightings in a message
SITES = 100
SITES_MINUTES = int(os.environ.get("BENCHMARK_SITES_MINUTES", 60))


class DayServer(server_bench.Server):
    """The server at the present time of day."""


def files(folder):
    """A registry of fixed beacons, and a plan of nine zones with the gateways."""
    rng = random.Random(7)
    beacons = [(rng.uniform(1, SIDE - 1), rng.uniform(1, SIDE - 1)) for _ in range(BEACONS)]
    uuid = store.sighting(rng, 0)["uuid"]
    with open(f"{folder}/beacons.csv", "w", encoding="utf-8") as file:
        file.write("uuid,major,minor,kind,name,x,y,z,intervalMs,measuredPower\n")
        for minor, (x, y) in enumerate(beacons):
            file.write(f"{uuid},42,{minor},fixed,shelf-{minor},{x:.1f},{y:.1f},1.2,1000,-59\n")

    def rectangle(x, y, side):
        corners = [[x, y], [x + side, y], [x + side, y + side], [x, y + side], [x, y]]
        return {"type": "Polygon", "coordinates": [corners]}

    third = SIDE // 3
    features = [({"role": "floor"}, rectangle(0, 0, SIDE))]
    features += [({"zone": f"zone-{x}-{y}"}, rectangle(x * third, y * third, third)) for x in range(3) for y in range(3)]
    features += [({"gateway": name, "z": 2.5}, {"type": "Point", "coordinates": place}) for name, place in PLACES.items()]
    plan = {"type": "FeatureCollection", "crs": "local",
            "features": [{"type": "Feature", "properties": what, "geometry": where} for what, where in features]}
    with open(f"{folder}/zones.geojson", "w", encoding="utf-8") as file:
        json.dump(plan, file)
    return beacons


def windows(beacons, place, rng):
    """The sightings of some seconds at a gateway: each beacon sends once in each, and far ones are not heard."""
    shadows = [rng.gauss(0, 4) for _ in beacons]
    for _ in range(VARIANTS):
        heard = []
        for minor, (beacon, shadow) in enumerate(zip(beacons, shadows)):
            distance = math.dist((*beacon, 1.2), (*place, 2.5))
            level = round(-59 - 22 * math.log10(distance) + shadow + rng.gauss(0, 3), 1)
            if level > -94:
                one = store.sighting(rng, minor)
                one["count"], one["power"]["mean"] = 1, level
                heard.append(one)
        yield [json.dumps(heard[start:start + MOST], separators=(",", ":")) for start in range(0, len(heard), MOST)]


class Publisher:
    """The gateways of the plan, in the present."""

    def __init__(self, port, beacons):
        rng = random.Random(8)
        self.publisher, self.sent, self.sightings = server_bench.Publisher(port), 0, 0
        self.windows = {name: list(windows(beacons, place, rng)) for name, place in PLACES.items()}
        self.numbers = dict.fromkeys(PLACES, 0)

    def run(self, seconds):
        for _ in range(seconds):
            second = int(time.time()) + 1
            time.sleep(max(0, second - time.time()))
            for name in PLACES:
                parts = self.windows[name][second % VARIANTS]
                for index, part in enumerate(parts):
                    text = MESSAGE % ("store", name, self.numbers[name], second * 1000 - 1000, second * 1000, part)
                    if len(parts) > 1:
                        text = text.replace('"clock"', f'"part":{{"index":{index},"of":{len(parts)}}},"clock"', 1)
                    if index:
                        text = re.sub(r'"radio":\{[^}]*\},', "", text)
                    self.publisher.write(f"sightline/v1/store/{name}/sightings", text.encode())
                    self.numbers[name] += 1
                    self.sent += 1
                    self.sightings += part.count('"minor"')
            self.publisher.flush()


def network():
    """A store with a registry and a plan: regions, places and states of many beacons, each of which sends once a second."""
    folder = figures.TEMP
    beacons = files(folder)
    regions = [{"region": f"part-{number}", "kind": "fixed", "gateways": GATEWAYS[2 * number:2 * number + 2]} for number in range(4)]
    shop = site() | {"beacons": {"registry": f"{folder}/beacons.csv"}, "plan": f"{folder}/zones.geojson", "regions": regions}
    with running([shop], DayServer) as (broker, server):
        gateways = Publisher(broker.port, beacons)
        gateways.run(WARM_UP)
        begun, spent, count = time.monotonic(), processor_of_all(server.process.pid), gateways.sightings
        gateways.run(SECONDS)
        share = (processor_of_all(server.process.pid) - spent) / (time.monotonic() - begun)
        memory, own = resident(server.process.pid)
        gateways.publisher.finish()
        wait_for(lambda: stored(server), gateways.sent)
        server.stop()
    rate = (gateways.sightings - count) / SECONDS
    yield Row(f"{BEACONS:,} registered beacons at {len(PLACES)} gateways, {rate:,.0f} sightings a second: processor", f"{share:.1%} of a core", "")
    yield Row("  resident memory (own)", f"{memory:.0f} ({own:.0f}) MiB", "60 MiB", kept=memory < 60)


def sites():
    """Many sites of four gateways, a window a second from each, in the present."""
    names = [f"store-{number}" for number in range(SITES)]
    with running([site(name, QUEUES[:1]) for name in names], DayServer) as (broker, server):
        gateways, most = Gateways(broker.port, names, GATEWAYS[:4], 10), 0
        for _ in range(SITES_MINUTES * 60):
            gateways.burst()
            most = max(most, resident(server.process.pid)[0])
        gateways.publisher.finish()
        wait_for(lambda: stored(server), gateways.sent)
        server.stop()
    yield Row(f"{SITES} sites of 4 gateways, {SITES_MINUTES} minutes: the most resident memory", f"{most:.0f} MiB", "150 MiB", kept=most < 150)

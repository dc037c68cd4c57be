"""Presence in a region, on the half hours of data/places/tetam_presence.npz: a beacon at a known place, heard by receivers.

Each series of counts becomes the messages of a gateway, which `sightline regions` reads. Reports are removed at random, as in
a place with worse reception, and a gateway is deaf for five minutes. The anchors are the rules of other programs, from their
documentation: a beacon has left after a fixed time without a report. AltBeacon's library takes 10 s, iOS 30 s, Theengs 120 s.
"""
import json, os, statistics, subprocess

import numpy as np

from bounds import Bound, head, row

UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
START = 1_780_002_000
LEAD, TAIL = 60, 200            # seconds of silence before and after each series
FIXED = [10, 30, 120]           # the anchors' rules, in seconds
REMOVED = [0, 0.5, 0.8]         # shares of the reports
EXIT_BOUNDS = {0: 13, 0.5: 20, 0.8: 60}
DEAF = range(960, 1260)
AFTER = 30                      # an exit so soon after the deaf time is a false one
SEED = 20261128
WIDEST = 600                    # an agent merges empty windows, and no message is lost: one describes a whole silence


def load(path):
    """Counts and levels by series and second, and the second after the last report of each series."""
    data = np.load(path)
    counts, levels = (np.pad(data[key].astype(int), ((0, 0), (LEAD, TAIL))) for key in ("count", "level"))
    return counts, levels, [int(np.flatnonzero(line)[-1]) + 1 for line in counts]


def sighting(count, level):
    return {
        "type": "ibeacon", "uuid": UUID, "major": 1, "minor": 1, "measuredPower": -59, "count": count,
        "rssi": {"min": level, "max": level, "mean": level, "stddev": 0, "last": level},
        "power": {"mean": level, "centroid": 500}, "firstSeen": 0, "lastSeen": 999, "maxAt": 500, "senders": 1}


def messages(gateway, counts, levels, deaf):
    """The messages of one gateway: a window a second while it hears the beacon, and a wide one for each silence."""
    start, number = 0, 0
    for second in range(1, len(counts) + 1):
        same = second < len(counts) and counts[second] == counts[start] == 0 and (second in deaf) == (start in deaf)
        if same and second - start < WIDEST:
            continue
        heard = counts[start] and start not in deaf
        radio = {key: 0 for key in ("reports", "beacons", "filtered", "malformed", "implausible", "dropped")}
        if heard:
            radio |= {"reports": int(counts[start]), "beacons": int(counts[start])}
        if start in deaf:
            radio["state"] = "deaf"
        number += 1
        yield {
            "v": 1, "site": "places", "gateway": gateway, "session": "a", "seq": number,
            "window": {"start": (START + start) * 1000, "end": (START + second) * 1000}, "clock": "synced", "radio": radio,
            "sightings": [sighting(int(counts[start]), int(levels[start]))] if heard else []}
        start = second


def ours(binaries, folder, counts, levels, deaf=range(0)):
    """The events of each series: a list of (event, second of the decision)."""
    names = [f"g{index}" for index in range(len(counts))]
    configuration = os.path.join(folder, "places.json")
    with open(configuration, "w") as file:
        regions = [{"region": name, "gateways": [name], "kind": "visitor"} for name in names]
        queue = {"queue": "none", "entry": ["none-1"], "till": ["none-2"]}
        json.dump({"sites": [{"site": "places", "queues": [queue], "regions": regions}]}, file)
    path = os.path.join(folder, "places.jsonl")
    with open(path, "w") as file:
        for name, line, level in zip(names, counts, levels):
            file.writelines(json.dumps(message) + "\n" for message in messages(name, line, level, deaf))
    output = subprocess.run(
        [f"{binaries}/sightline", "regions", "--config", configuration, "--input", path], check=True, capture_output=True, text=True)
    os.remove(path)
    events = {name: [] for name in names}
    for text in output.stdout.splitlines():
        event = json.loads(text)
        if event["kind"] == "region-event":
            events[event["region"]].append((event["event"], event["decidedAt"] / 1000 - START))
    return list(events.values())


def fixed(limit, counts, deaf=range(0)):
    """The same by a rule: in with a report, out after `limit` seconds without one. It does not know that a gateway is deaf."""
    result = []
    for line in counts:
        events, last = [], None
        for second, count in enumerate(line):
            if count and second not in deaf:
                if last is None:
                    events.append(("enter", second + 1))
                last = second
            elif last is not None and second - last >= limit:
                events.append(("exit", second + 1))
                last = None
        result.append(events)
    return result


def judge(events, ends):
    """The median of entries, the median and the 90th percentile of exits in seconds, and the false exits a day."""
    entries = [next((at for kind, at in line if kind == "enter"), None) for line in events]
    false = sum(kind == "exit" and at <= end for line, end in zip(events, ends) for kind, at in line)
    exits = [next((at - end for kind, at in reversed(line) if kind == "exit" and at > end), TAIL) for line, end in zip(events, ends)]
    entered = [entry - LEAD for entry in entries if entry is not None]
    days = sum(end - LEAD for end in ends) / 86_400
    return statistics.median(entered or [TAIL]), statistics.median(exits), float(np.percentile(exits, 90)), false / days


def table(binaries, folder, counts, levels, ends):
    bounds, generator = [], np.random.default_rng(SEED)
    print("Presence: half hours of a beacon at places of a room. A beacon is away after its last report.\n")
    head(["reports removed", "rule", "entry median, s", "exit median, s", "exit 90 %, s", "false exits a day"], texts=2)
    for share in REMOVED:
        thin = generator.binomial(counts, 1 - share) if share else counts
        rules = [(f"{limit} s", fixed(limit, thin)) for limit in FIXED]
        for rule, events in [*rules, ("sightline", ours(binaries, folder, thin, levels))]:
            entry, median, late, false = judge(events, ends)
            row([f"{share:.0%}", rule, f"{entry:.0f}", f"{median:.0f}", f"{late:.0f}", f"{false:.2f}"])
            if rule == "sightline":
                name = f"presence, {share:.0%} removed"
                bounds += [
                    Bound(f"{name}: exit median, s", median, at_most=EXIT_BOUNDS[share]),
                    Bound(f"{name}: false exits a day", false, at_most=0.5)]
    return bounds


def deafness(binaries, folder, counts, levels, ends):
    """Five deaf minutes in the middle of each series that goes on after them."""
    chosen = [index for index, end in enumerate(ends) if end > DEAF.stop + 120][::4]
    some, level = counts[chosen], levels[chosen]
    span = range(DEAF.start, DEAF.stop + AFTER + 1)
    print("\nA gateway is deaf for five minutes: exits in them, and in the 30 s after.\n")
    head(["rule", "series", "exits"])
    rules = [(f"{limit} s", fixed(limit, some, DEAF)) for limit in FIXED]
    for rule, events in [*rules, ("sightline", ours(binaries, folder, some, level, DEAF))]:
        exits = sum(kind == "exit" and at in span for line in events for kind, at in line)
        row([rule, str(len(chosen)), str(exits)])
    print()
    return [Bound("deaf for five minutes: exits", exits, at_most=0)]


def measure(data, binaries, folder):
    path = os.path.join(data, "places", "tetam_presence.npz")
    if not os.path.exists(path):
        print(f"No presence: {path} is missing.\n")
        return []
    counts, levels, ends = load(path)
    return table(binaries, folder, counts, levels, ends) + deafness(binaries, folder, counts, levels, ends)

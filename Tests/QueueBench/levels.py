"""What a bench folder says of each tag: levels at entry and till, their features, and the true visits.

Computed anew from the specification of the estimator, without code of Sightline.
"""
import json, os
import numpy as np

BINS = [(-12, -9), (-8, -6), (-5, -4), (-3, -2), (-1, 1), (2, 3), (4, 6), (7, 9), (10, 12)]
FLOOR, CEILING = -36.0, 12.0
REACH = 12
# A tag is away below this level. Each decibel below it costs so much a second.
AWAY, ABSENCE = -30.0, 0.25


def read(path):
    with open(path) as file:
        return [json.loads(line) for line in file]


def close_level(loudest):
    """The median of the tags within 8 dB of the loudest twentieth."""
    values = np.sort(np.array(loudest))
    loud = values[values >= np.quantile(values, 0.95) - 8]
    return float(np.median(loud))


def held(power, seconds, close):
    """The level in each second: held for 4 s, then sinking by 2 dB a second."""
    levels = np.empty(seconds)
    value, silence = FLOOR, 0
    for second in range(seconds):
        if second in power:
            value, silence = min(CEILING, max(FLOOR, power[second] - close)), 0
        else:
            silence += 1
            if silence > 4:
                value = max(FLOOR, value - 2)
        levels[second] = value
    return levels


def own(levels, louder):
    """The running median by small steps, without the seconds in which the tag is away."""
    result = np.empty(len(levels))
    value, n = -20.0, 0
    for index, level in enumerate(levels):
        if louder[index] >= AWAY:
            n = min(n + 1, 600)
            difference = level - value
            value += np.sign(difference) * min(1, abs(difference)) * 4.5 / n
        result[index] = value
    return result


def staff(folder):
    """The beacons of staff, by the configuration."""
    with open(os.path.join(folder, "queues.json")) as file:
        ranges = json.load(file)["sites"][0]["beacons"]["staff"]
    return {major << 16 | minor for part in ranges for major in range(part["major"][0], part["major"][1] + 1)
            for minor in range(part["minor"][0], part["minor"][1] + 1)}


class Presence:
    """The levels of one tag at entry and till, second by second, and its visits, served or given up."""

    def __init__(self, queue, beacon, first, levels, visits):
        self.queue, self.beacon, self.first = queue, beacon, first
        self.entry, self.till = levels
        dates = [(visit["joined"] / 1000 - first, visit["left"] / 1000 - first, visit["how"]) for visit in visits]
        self.served = [(joined, left) for joined, left, how in dates if how == "served"]
        self.given_up = [(joined, left) for joined, left, how in dates if how != "served"]
        self.edge, self.stay = features(self.entry, self.till)


def presences(folder):
    """Yields the presence of each tag at each queue. In a site with several ones, a visit of one is no presence at the others."""
    with open(os.path.join(folder, "queues.json")) as file:
        queues = json.load(file)["sites"][0]["queues"]
    others = staff(folder)
    powers = {}
    for message in read(os.path.join(folder, "messages.jsonl")):
        second = message["window"]["start"] // 1000
        for sighting in message["sightings"]:
            gateways = powers.setdefault((sighting["major"] << 16) | sighting["minor"], {})
            gateway = gateways.setdefault(message["gateway"], {})
            gateway[second] = max(sighting["power"]["mean"], gateway.get(second, -200))
    truth = {}
    for visit in read(os.path.join(folder, "truth.jsonl")):
        truth.setdefault(visit["beacon"], []).append(visit)
    for queue in queues:
        tags = {beacon: [loudest(gateways, queue[role]) for role in ("entry", "till")] for beacon, gateways in powers.items()
                if beacon not in others}
        close = [close_level([max(tag[role].values()) for tag in tags.values() if len(tag[role]) >= 6]) for role in (0, 1)]
        for beacon, tag in tags.items():
            if any(tag):
                yield from presences_at(queue["queue"], beacon, tag, close, truth.get(beacon, []))


def loudest(gateways, names):
    """The power in each second, of the loudest of these gateways."""
    powers = {}
    for name in names:
        for second, power in gateways.get(name, {}).items():
            powers[second] = max(power, powers.get(second, -200))
    return powers


def presences_at(queue, beacon, tag, close, visits):
    """Yields the presences of a tag at a queue."""
    for first, last in spells(tag):
        length = last - first + 1 + 40
        then = [visit for visit in visits if first <= visit["joined"] // 1000 <= last]
        # simulate has one queue, and does not name it.
        if length > 3000 or any(visit.get("queue", queue) != queue for visit in then):
            continue
        levels = [held({second - first: power for second, power in tag[role].items() if first <= second <= last}, length, close[role])
                  for role in (0, 1)]
        yield Presence(queue, beacon, first, levels, then)


def spells(tag):
    """The first and the last second of each time in which the tag is heard, with absences of five minutes at most."""
    seconds = sorted(set(tag[0]) | set(tag[1]))
    first = last = seconds[0]
    for second in seconds:
        if second - last > 300:
            yield first, last
            first = second
        last = second
    yield first, last


def features(entry, till):
    """For each second: 20 features of an edge with the constant, and 10 of a second in line."""
    length = len(entry)
    both = [np.concatenate([np.full(REACH, FLOOR), level, np.full(REACH, level[-1])]) for level in (entry, till)]
    sums = [np.concatenate([[0], np.cumsum(level)]) for level in both]

    def mean(total, low, high):
        start = np.arange(length) + REACH + low
        return (total[start + high - low + 1] - total[start]) / (high - low + 1)

    louder = np.concatenate([[0], np.cumsum(np.maximum(*both))])
    owns = [own(level, np.maximum(entry, till)) for level in (entry, till)]
    edge = [np.ones(length)] + [mean(sums[0], *span) for span in BINS] + [mean(sums[1], *span) for span in BINS] + owns
    stay = [np.ones(length)]
    for reach in (2, 7):
        stay += [mean(total, -reach, reach) for total in (louder, sums[0], sums[1])]
    stay += owns + [np.maximum(*owns)]
    return np.stack(edge, 1), np.stack(stay, 1)


def absence(stay):
    """The part of an absence in the score of each second: of the mean over ± 7 s of the louder gateway."""
    return -ABSENCE * np.maximum(0, AWAY - stay[..., 4])

"""Distances and places, on data/places: a beacon in a room with twelve receivers, and a phone in 28 sectors.

The program ranging-bench asks the room `Ranging`. The anchors are the rules of other programs, from their documentation: the curve of
AltBeacon's library over a trimmed mean of 20 s, ESPresense (absorption 2.7, median), room-assistant (Kalman filter, n = 2), Bermuda (the
loudest, n = 3), and the four nearest fingerprints (kNN). All of them get the power at one metre that the labels have.

Half of the standing places are labels, the other half is judged: that half was not looked at when the model's numbers were chosen. Of the
tracks, 2 and 4 were not.
"""
import collections, csv, gzip, json, os, subprocess

import numpy as np

from bounds import Bound, head, row

FLOOR = (20.7, 17.64)
HEIGHT = 1.85
STARTS = [0, 60, 120]           # of the windows of 10 s that are judged at a place
SINGLE = 20                     # seconds of the anchors' windows
TRACKS = range(1, 6)
UNSEEN = [2, 4]
SUFFIX = "_all_sensors.mbd"
POWER = -59


class Room:
    def __init__(self, folder):
        with open(os.path.join(folder, "tetam.dev")) as file:
            devices = json.loads(file.readline().split(":", 1)[1])
        self.places = {name: place for place, _, name in sorted(devices.values(), key=lambda row: row[2])}
        self.names = list(self.places)
        self.gateways = np.array(list(self.places.values()))
        self.pis = [index for index, name in enumerate(self.names) if name.endswith("0")]
        index = {name: number for number, name in enumerate(self.names)}
        self.standing = collections.OrderedDict()
        with gzip.open(os.path.join(folder, "tetam_half_a.csv.gz"), "rt") as file:
            for line in csv.DictReader(file):
                place = tuple(float(line[key]) for key in "xyz")
                levels = self.standing.setdefault(place, np.full((180, len(index)), np.nan))
                levels[int(line["sec"]), index[line["sensor"]]] = float(line["powermean"])
        self.tracks = {}
        for number in TRACKS:
            path = os.path.join(folder, f"straight_{number:02}{SUFFIX}")
            with open(path) as file:
                reports = [line.split(",") for line in file if line.count(",") > 6]
            seconds = collections.defaultdict(list)
            for report in reports:
                second = int(float(report[0]) - float(reports[0][0]))
                seconds[second].append((index[devices[report[1]][2]], float(report[3]), float(report[4]), float(report[5])))
            track = self.tracks[number] = []
            for second in range(max(seconds) + 1):
                heard = np.array(seconds[second]).reshape(-1, 4)
                levels = [heard[heard[:, 0] == gateway, 1] for gateway in range(len(index))]
                place = heard[:, 2:].mean(axis=0) if len(heard) else None
                track.append((place, np.array([level.mean() if len(level) else np.nan for level in levels])))

    def halves(self):
        order = np.random.default_rng(1).permutation(len(self.standing))
        places = list(self.standing)
        return ([places[index] for index in part] for part in (order[:len(order) // 2], order[len(order) // 2:]))

    def distances(self, place):
        return np.sqrt(((self.gateways - np.array(place)) ** 2).sum(axis=1))

    def nearest(self, x, y, among=None):
        away = np.hypot(self.gateways[:, 0] - x, self.gateways[:, 1] - y)
        return int(np.argmin(away)) if among is None else int(np.argmin(away[among]))

    def cells(self):
        """The part of the floor that is nearest to each Pi, as a zone."""
        for own in self.pis:
            corners = [(0, 0), (FLOOR[0], 0), FLOOR, (0, FLOOR[1])]
            for other in self.pis:
                if other == own:
                    continue
                (ax, ay), (bx, by) = self.gateways[own, :2], self.gateways[other, :2]
                side = lambda p: (p[0] - (ax + bx) / 2) * (bx - ax) + (p[1] - (ay + by) / 2) * (by - ay)
                kept = []
                for p, q in zip(corners, corners[1:] + corners[:1]):
                    if side(p) <= 0:
                        kept.append(p)
                    if side(p) * side(q) < 0:
                        share = side(p) / (side(p) - side(q))
                        kept.append((p[0] + share * (q[0] - p[0]), p[1] + share * (q[1] - p[1])))
                corners = kept
            yield f"zone {self.names[own]} " + " ".join(f"{x:.3f} {y:.3f}" for x, y in corners)

    def plan(self, labels):
        yield f"height {HEIGHT}"
        yield f"power {POWER}"
        yield f"floor 0 0 {FLOOR[0]} 0 {FLOOR[0]} {FLOOR[1]} 0 {FLOOR[1]}"
        for name, place in self.places.items():
            yield f"gateway {name} " + " ".join(map(str, place))
        yield from self.cells()
        for place in labels:
            yield "label " + " ".join(map(str, place)) + " " + words(mean(self.standing[place]))


def mean(levels):
    count = (~np.isnan(levels)).sum(axis=0)
    return np.where(count, np.nansum(levels, axis=0) / np.maximum(count, 1), np.nan)


def words(levels):
    return " ".join("-" if np.isnan(level) else f"{level:.2f}" for level in levels)


def ask(binaries, lines):
    text = "\n".join(lines) + "\n"
    output = subprocess.run([f"{binaries}/ranging-bench"], input=text, check=True, capture_output=True, text=True)
    return [line for line in output.stdout.splitlines() if not line.startswith("fit")]


def numbers(text):
    return [float(word) if word != "-" else np.nan for word in text.split()]


class Answer:
    def __init__(self, line):
        first, zones = line.split("|")
        values = numbers(first)
        self.x, self.y, self.radius, self.near = values[:4]
        self.distances = np.array(values[5:]).reshape(-1, 3)
        self.zones = numbers(zones)


def spread(values):
    return f"{np.median(values):.2f} / {np.percentile(values, 90):.2f}" if len(values) else "–"


def percent(values):
    return f"{np.mean(values):.1%}" if len(values) else "–"


def judge(room, title, lines, truths):
    """Prints a row; returns the figures of the bounds."""
    answers = [(Answer(line), truth) for line, truth in zip(lines, truths) if line != "none" and truth is not None]
    errors = [np.hypot(a.x - t[0], a.y - t[1]) for a, t in answers]
    covered = [error <= a.radius for error, (a, _) in zip(errors, answers)]
    away, inside, near4, near12, sure = [], [], [], [], []
    for answer, truth in answers:
        for true, (low, median, high) in zip(room.distances(truth), answer.distances):
            if not np.isnan(low):
                away.append(abs(median - true))
                inside.append(low <= true <= high)
        best = int(np.argmax(answer.zones))
        near4.append(best != room.nearest(*truth[:2], room.pis))
        near12.append(int(answer.near) != room.nearest(*truth[:2]))
        if max(answer.zones) >= 0.8:
            sure.append(near4[-1])
    row([title, str(len(answers)), spread(errors), percent(covered), spread(away), percent(inside), percent(near4), percent(near12),
         f"{percent(sure)} of {len(sure) / len(answers):.0%}"])
    return {"errors": errors, "covered": covered, "away": away, "inside": inside, "near4": near4, "near12": near12, "sure": sure}


def fingerprints(room, title, labels, cases):
    """The mean place of the four labels with the most similar levels."""
    known = np.array([np.nan_to_num(mean(room.standing[place]), nan=-100) for place in labels])
    errors, near4, near12 = [], [], []
    for levels, truth in cases:
        order = np.argsort(((known - np.nan_to_num(levels, nan=-100)) ** 2).sum(axis=1))[:4]
        x, y = np.mean([labels[index][:2] for index in order], axis=0)
        errors.append(np.hypot(x - truth[0], y - truth[1]))
        near4.append(room.nearest(x, y, room.pis) != room.nearest(*truth[:2], room.pis))
        near12.append(room.nearest(x, y) != room.nearest(*truth[:2]))
    row([title, str(len(cases)), spread(errors), "–", "–", "–", percent(near4), percent(near12), "–"])
    return {"errors": errors, "near4": near4}


def kalman(levels):
    """room-assistant's filter: R 0.8, Q 15."""
    state, variance = levels[0], 15
    for level in levels[1:]:
        variance += 0.8
        gain = variance / (variance + 15)
        state, variance = state + gain * (level - state), variance * (1 - gain)
    return state


def trimmed(levels):
    cut = len(levels) // 10
    return np.mean(np.sort(levels)[cut:len(levels) - cut])


def single(room, binaries, labels, judged):
    """The distance from one gateway."""
    law = lambda power, level, n: 10 ** ((power - level) / (10 * n))
    power = -60.2

    def altbeacon(levels):
        ratio = trimmed(levels) / power
        return ratio ** 10 if ratio < 1 else 0.89976 * ratio ** 7.7095 + 0.111

    anchors = {
        "AltBeacon": altbeacon, "ESPresense": lambda levels: law(power, np.median(levels), 2.7),
        "room-assistant": lambda levels: law(power, kalman(levels), 2), "Bermuda": lambda levels: law(power, max(levels), 3)}
    lines, truths, errors = list(room.plan(labels)), [], {name: [] for name in anchors}
    for place in judged:
        for start in STARTS:
            window = room.standing[place][start:start + 10]
            wide = room.standing[place][start:start + SINGLE]
            for gateway, true in enumerate(room.distances(place)):
                heard = wide[~np.isnan(wide[:, gateway]), gateway]
                level = mean(window)[gateway]
                if np.isnan(level) or not len(heard):
                    continue
                alone = np.full(len(room.names), np.nan)
                alone[gateway] = level
                lines.append("still " + words(alone))
                truths.append((gateway, true))
                for name, rule in anchors.items():
                    errors[name].append(abs(rule(heard) - true))
    answers = [Answer(line).distances[gateway] for line, (gateway, _) in zip(ask(binaries, lines), truths)]
    away = [abs(answer[1] - true) for answer, (_, true) in zip(answers, truths)]
    inside = [low <= true <= high for (low, _, high), (_, true) in zip(answers, truths)]
    print("\nDistance from one gateway, at places without a label.\n")
    head(["rule", "distances", "error median / 90 %, m", "90 % interval covers", "its width, m"])
    for name, values in errors.items():
        row([name, str(len(values)), spread(values), "–", "–"])
    row(["sightline", str(len(away)), spread(away), percent(inside), f"{np.median([a[2] - a[0] for a in answers]):.1f}"])
    return [
        Bound("one gateway: distance median, m", np.median(away), at_most=2.7),
        Bound("one gateway: distance 90 %, m", np.percentile(away, 90), at_most=6.5),
        Bound("one gateway: interval covers", np.mean(inside), at_least=0.87, at_most=0.94)]


def standing_and_walking(room, binaries, labels, judged):
    print("Places in a room with twelve receivers. Nearest of 4: of the Raspberry Pis. Sure: a probability of 80 % or more.\n")
    head(["rule", "places", "position median / 90 %, m", "area covers", "distance median / 90 %, m", "interval covers",
          "nearest of 4 wrong", "of 12 wrong", "sure ones wrong"])
    cases = [(mean(room.standing[place][start:start + 10]), place) for place in judged for start in STARTS]
    fingerprints(room, "kNN, standing", labels, cases)
    lines = [*room.plan(labels), *("still " + words(levels) for levels, _ in cases)]
    still = judge(room, "sightline, standing", ask(binaries, lines), [place for _, place in cases])
    every = list(room.standing)
    figures = {}
    for title, chosen in (("tracks", TRACKS), ("tracks 2 and 4", UNSEEN)):
        recent = []
        lines, truths = list(room.plan(every)), []
        for number in chosen:
            track = room.tracks[number]
            lines.append("start")
            for second, (place, levels) in enumerate(track):
                lines.append("moving " + words(levels))
                truths.append(None if place is None else (*place, 1.76))
                if place is not None:
                    recent.append((mean(np.array([levels for _, levels in track[max(second - 3, 0):second + 1]])), truths[-1]))
        knn = fingerprints(room, f"kNN of 4 s, {title}", every, recent)
        figures[title] = judge(room, f"sightline, {title}", ask(binaries, lines), truths)
    walking = figures["tracks"]
    return [
        Bound("standing: position median, m", np.median(still["errors"]), at_most=1.87),
        Bound("standing: position 90 %, m", np.percentile(still["errors"], 90), at_most=4.6),
        Bound("standing: distance median, m", np.median(still["away"]), at_most=1.1),
        Bound("standing: distance 90 %, m", np.percentile(still["away"], 90), at_most=2.8),
        Bound("standing: nearest of 4 wrong", np.mean(still["near4"]), at_most=0.13),
        Bound("standing: nearest of 12 wrong", np.mean(still["near12"]), at_most=0.3),
        Bound("standing: area covers", np.mean(still["covered"]), at_least=0.87, at_most=0.96),
        Bound("tracks: position median, m", np.median(walking["errors"]), at_most=1.5),
        Bound("tracks: position 90 %, m", np.percentile(walking["errors"], 90), at_most=2.8),
        Bound("tracks: area covers", np.mean(walking["covered"]), at_least=0.88, at_most=0.96),
        Bound("tracks: sure ones wrong", np.mean(walking["sure"]), at_most=0.06),
        Bound("tracks: nearest of 4 wrong", np.mean(walking["near4"]), at_most=0.21)]


def sectors(folder, binaries):
    """Zones by labels only: the last 30 % of each sector in time are judged by the first 70 %."""
    print("\nZones by labels only: 28 sectors of 1.5 m, one phone, six beacons.\n")
    head(["power", "seconds", "right", "said", "5-NN right"])
    bounds = []
    for name in ("Tx0", "Tx_8"):
        data = np.genfromtxt(os.path.join(folder, f"{name}.csv"), delimiter=",", skip_header=1)
        parts = [data[data[:, 6] == sector, :6] for sector in np.unique(data[:, 6])]
        learnt = [part[:len(part) * 7 // 10] for part in parts]
        known = np.concatenate(learnt)
        owner = np.repeat(range(len(parts)), [len(part) for part in learnt])
        lines = [f"stand {zone} " + words(levels) for zone, part in enumerate(learnt) for levels in part]
        questions = []
        for width in (1, 5, 10):
            for zone, part in enumerate(parts):
                rest = part[len(learnt[zone]):]
                for start in range(0, len(rest) - width + 1, width):
                    window = rest[start:start + width]
                    lines += ["second " + words(levels) for levels in window] + ["decide"]
                    near = np.argsort(((known - window.mean(axis=0)) ** 2).sum(axis=1))[:5]
                    questions.append((width, zone, np.bincount(owner[near]).argmax() == zone))
        answers = [numbers(line) for line in ask(binaries, lines)]
        for width in (1, 5, 10):
            rows = [(answer, zone, nn) for answer, (w, zone, nn) in zip(answers, questions) if w == width]
            right = np.mean([np.argmax(answer) == zone for answer, zone, _ in rows])
            said = np.mean([max(answer) for answer, _, _ in rows])
            row([name, str(width), f"{right:.1%}", f"{said:.1%}", percent([nn for _, _, nn in rows])])
        bounds += [
            Bound(f"sectors, {name}: right after 10 s", right, at_least=0.7),
            Bound(f"sectors, {name}: said less right", said - right, at_least=-0.05, at_most=0.05)]
    return bounds


def cost(room, binaries, labels):
    cells, still, moving = ask(binaries, [*room.plan(labels), "cost " + words(mean(room.standing[labels[0]]))])[0].split()[1:]
    print(f"\nProcessor time of a place with {cells} cells and twelve gateways: {float(still):.0f} µs standing, "
          f"{float(moving):.0f} µs for each second of moving.\n")


def measure(data, binaries):
    folder = os.path.join(data, "places")
    if not os.path.exists(os.path.join(folder, "tetam_half_a.csv.gz")):
        print(f"No places: {folder} is missing.\n")
        return []
    room = Room(folder)
    labels, judged = room.halves()
    bounds = standing_and_walking(room, binaries, labels, judged)
    bounds += single(room, binaries, labels, judged)
    bounds += sectors(os.path.join(folder, "albacete"), binaries)
    cost(room, binaries, labels)
    return bounds

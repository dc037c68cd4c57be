"""The door of data/sal-*.csv: two receivers on either side of it stand for two gateways.

The rows become captures, which the real agent replays. A crossing is found in the messages as the estimator's
specification says: windows of 1 s, smoothed over 1 s, with a hysteresis of 3 dB, dated back to the change of sign.
This method belongs to the bench: sightline queue measures queues, and a crossing is shorter than any visit.
"""
import csv, glob, json, math, os, statistics, struct, subprocess

from bounds import Bound, head, row

PAIRS = [("O-DR", "I-DR"), ("O-DL", "I-DL")]   # on the posts of the door
ROW = 0.1                       # seconds
START = 1_780_300_800_000_000   # microseconds since the Unix epoch
EPOCH = 0x00DCDDB30F2F8000      # of btsnoop
MISSING = -100
UUID = bytes.fromhex("e2c56db5dffb48d2b060d0f5a71096e0")
HYSTERESIS, SMOOTHING, HELD = 3.0, 1.0, 4
NEAR = 15.0                     # a crossing that is dated so far off is another one, in seconds


def capture(rows, receiver, path):
    """What one receiver heard, as a btsnoop capture of legacy reports."""
    data = bytes([26, 0xFF, 0x4C, 0x00, 0x02, 0x15]) + UUID + struct.pack(">HHb", 1, 1, -59)
    with open(path, "wb") as file:
        file.write(b"btsnoop\0" + struct.pack(">II", 1, 1002))
        for row in rows:
            rssi = int(row[receiver])
            if rssi <= MISSING:
                continue
            report = bytes([2, 1, 3, 1, 1, 0, 0, 0, 0, 0xC0, len(data)]) + data + struct.pack("b", rssi)
            packet = bytes([4, 0x3E, len(report)]) + report
            time = START + round(int(row["superframe"]) * ROW * 1e6)
            file.write(struct.pack(">IIIIq", len(packet), len(packet), 3, 0, time + EPOCH) + packet)


def windows(binaries, folder, name):
    """The agent's mean power in each second of the capture."""
    configuration = os.path.join(folder, "door.json")
    with open(configuration, "w") as file:
        json.dump({"gateway": {"site": "door", "id": name}, "mqtt": {"host": "localhost"},
                   "report": {"windowMs": 1000}, "stateDirectory": folder}, file)
    output = subprocess.run(
        [f"{binaries}/sightlined", "--config", configuration, "--radio", f"replay:{folder}/{name}.btsnoop", "--output", "-"],
        check=True, capture_output=True, text=True).stdout
    levels = {}
    for message in map(json.loads, output.splitlines()):
        second = (message["window"]["start"] - START // 1000) // 1000
        for sighting in message.get("sightings", []):
            levels[second] = sighting["power"]["mean"]
    return levels


def held(levels, count):
    value, age, result = MISSING, HELD, []
    for second in range(count):
        value, age = (levels[second], 0) if second in levels else (value if age < HELD else MISSING, age + 1)
        result.append(value)
    return result


def crossings(difference, hysteresis):
    """The seconds at which the tag goes to the other side. Positive is outside."""
    smooth, keep = difference[0], math.exp(-1 / SMOOTHING)
    side, found, sign_changed, before = None, [], 0.0, difference[0]
    for second, value in enumerate(difference):
        smooth = keep * smooth + (1 - keep) * value
        if (smooth > 0) != (before > 0):
            # In the middle of the windows, by linear interpolation.
            sign_changed = second - 0.5 + abs(before) / max(1e-9, abs(before) + abs(smooth))
        if abs(smooth) > hysteresis and (smooth > 0) != side:
            if side is not None:
                found.append(sign_changed)
            side = smooth > 0
        before = smooth
    return found


def passages(rows):
    """The crossings: the change of the label, and when something interrupted the photo cell around it."""
    inside = [(int(row["superframe"]) * ROW, row["Label"] != "0", row["raw_photosensor_door"] == "1") for row in rows]
    changes = [b[0] for a, b in zip(inside, inside[1:]) if a[1] != b[1]]
    blocked = [time for time, _, is_blocked in inside if is_blocked]
    around = lambda change: [time for time in blocked if abs(time - change) < NEAR / 2] or [change]
    return [(change, min(around(change)), max(around(change))) for change in changes]


def match(truth, found):
    """The errors of the crossings that are found, one to one, against label and photo cell; and the false ones."""
    pairs = sorted((abs(t[0] - f), i, j) for i, t in enumerate(truth) for j, f in enumerate(found)
                   if abs(t[0] - f) <= NEAR)
    used, taken, errors = set(), set(), []
    for error, i, j in pairs:
        if i not in used and j not in taken:
            used.add(i)
            taken.add(j)
            errors.append((error, max(0, truth[i][1] - found[j], found[j] - truth[i][2])))
    return errors, len(found) - len(errors)


def measure(data, binaries, folder):
    """Prints the table; returns the bounds."""
    paths = sorted(glob.glob(os.path.join(data, "sal-*.csv"))) if data else []
    if not paths:
        print("The door: skipped, there is no folder with sal-*.csv (../shared/data, or $SIGHTLINE_CAPTURES).\n")
        return []
    print("The door: data of J. Karoliny, Silicon Austria Labs (SAL-Autarkic-Localization-RSSI-BLE-Dataset), CC BY 4.0."
          f" {len(paths)} measurements, {len(PAIRS)} pairs of receivers each, through the agent's 1-s windows; errors in"
          " seconds. The method is the bench's.\n")
    totals = {name: [0, [], 0] for name in ("smoothed, hysteresis 3 dB, dated back", "naive: the louder receiver, second by second",
                                            "null: evenly spread")}
    for path in paths:
        with open(path) as file:
            rows = list(csv.DictReader(file))
        truth = passages(rows)
        count = math.ceil(int(rows[-1]["superframe"]) * ROW) + 1
        levels = {}
        for receiver in sorted({receiver for pair in PAIRS for receiver in pair}):
            capture(rows, receiver, f"{folder}/{receiver}.btsnoop")
            levels[receiver] = held(windows(binaries, folder, receiver), count)
        for out, into in PAIRS:
            difference = [a - b for a, b in zip(levels[out], levels[into])]
            signs = [second for second in range(1, count) if (difference[second] > 0) != (difference[second - 1] > 0)]
            even = [(index + 1) * count / (len(truth) + 1) for index in range(len(truth))]
            for name, found in zip(totals, (crossings(difference, HYSTERESIS), signs, even)):
                errors, false = match(truth, found)
                totals[name][0] += len(truth)
                totals[name][1] += errors
                totals[name][2] += false
    head(["method", "crossings", "found", "false", "MAE", "median error", "MAE beyond the photo cell's interruption"])
    mean = lambda values: f"{sum(values) / len(values):.1f}" if values else "–"
    for name, (count, errors, false) in totals.items():
        label = [error[0] for error in errors]
        middle = f"{statistics.median(label):.1f}" if label else "–"
        row([name, str(count), str(len(errors)), str(false), mean(label), middle, mean([e[1] for e in errors])])
    print("\nThe label of a car is the moment at which it is completely inside, or begins to leave.\n")
    count, errors, false = next(iter(totals.values()))
    error = sum(error[0] for error in errors) / max(1, len(errors))
    return [Bound("door: crossings found", len(errors), at_least=count),
            Bound("door: false crossings", false, at_most=5 / 66 * count),
            Bound("door: MAE, s", error, at_most=2.5)]

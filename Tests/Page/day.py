"""A generated day of one site with known values: the documents that the server would hold. No time and no chance enters."""

import math

MINUTE, HOUR = 60_000, 3_600_000
# Saturday 2026-03-14, 12:04:00 in Berlin.
NOW = 1_773_486_240_000
# 04:00 in Berlin.
DAY_START = NOW - 8 * HOUR - 4 * MINUTE
ZONE = "Europe/Berlin"
SITE = "store-042"
QUEUES = {"checkout": ["entry-1", "till-1", "till-2"], "bakery": ["entry-2", "till-3"], "returns": ["entry-1", "till-4"]}
ROLES = {"entry-1": "entry", "entry-2": "entry", "till-1": "till", "till-2": "till", "till-3": "till", "till-4": "till"}
TARGETS = {"checkout": 300_000, "bakery": 360_000, "returns": None}
COVERAGE = {
    "checkout": {"percent": 30, "lowPercent": 25, "highPercent": 35, "source": "configured"},
    "bakery": {"percent": 42, "lowPercent": 40, "highPercent": 45, "source": "receipts"},
    "returns": None,
}
# (queue, gateway, state, from, to): when a gateway did not hear.
DEAF_FROM, DEAF_TO = NOW - 41 * MINUTE, NOW - 33 * MINUTE
RESTATED = NOW - 20 * MINUTE


def load(queue, at):
    """The true number of people with a beacon in line at a time."""
    hour = (at + HOUR) % (24 * HOUR) / HOUR
    if not 8 <= hour < 20:
        return 0.0
    base = {"checkout": 3.2, "bakery": 1.6, "returns": 0.9}[queue]
    rush = 1 + 1.1 * math.exp(-((hour - 12.2) ** 2) / 0.5) + 0.9 * math.exp(-((hour - 17.5) ** 2) / 1.5)
    return base * rush * (1 + 0.35 * math.sin(hour * 7.3) + 0.2 * math.sin(hour * 23.1))


def is_deaf(queue, start):
    return queue == "checkout" and DEAF_FROM <= start < DEAF_TO or queue == "returns" and start >= NOW - 19 * MINUTE


def length(queue, at):
    tags, share = round(load(queue, at)), COVERAGE[queue]
    people = tags * 100 / share["percent"] if share else float(tags)
    spread = 0.35 * math.sqrt(people) if share else 0.3
    return {"people": round(people, 1), "low": max(0, math.floor(people - 2 * spread)), "high": math.ceil(people + 2 * spread), "tags": tags}


def wait(queue, at):
    ms = round(load(queue, at) * 75_000) + 20_000
    return {"ms": ms, "lowMs": round(ms * 0.7), "highMs": round(ms * 1.45), "learning": queue == "returns", "scored": 140,
            "meanErrorMs": 31_000, "meanWaitMs": 222_000, "inInterval": 0.91}


def queue_now(queue, at=NOW, rev=812):
    base = {"v": 1, "kind": "queue", "site": SITE, "queue": queue, "at": at, "rev": rev, "littleResidualMs": 0, "durable": True,
            "trend": [[start, None if is_deaf(queue, start) else length(queue, start)["people"]]
                      for start in range(at - 30 * MINUTE, at, MINUTE)],
            "coverage": COVERAGE[queue], "target": None}
    now, target = wait(queue, at), TARGETS[queue]
    if target:
        base["target"] = {"waitMs": target, "isOver": now["ms"] > target}
    if is_deaf(queue, at - 1):
        since = NOW - 19 * MINUTE
        return base | {"state": "unknown", "since": since, "reasons": [{"gateway": "till-4", "state": "deaf", "since": since}],
                       "length": None, "wait": None, "leavers": None, "throughput": None, "tills": None}
    tills = sum(1 for gateway in QUEUES[queue] if ROLES[gateway] == "till")
    return base | {"state": "ok", "since": at - 3 * HOUR, "reasons": [], "length": length(queue, at), "wait": now,
                   "leavers": {"sinceMs": 30 * MINUTE, "served": 12, "servedLow": 12, "servedHigh": 14, "abandoned": 1, "meanMs": now["ms"],
                               "medianMs": now["ms"] - 9_000, "medianLowMs": now["ms"] - 60_000, "medianHighMs": now["ms"] + 60_000,
                               "p90Ms": now["ms"] + 90_000, "p90LowMs": now["ms"] + 30_000, "p90HighMs": None},
                   "throughput": {"perHour": 24.0, "low": 24.0, "high": 28.0, "sinceMs": 30 * MINUTE}, "tills": {"open": max(1, tills - 1), "of": tills}}


def minute(queue, start):
    base = {"v": 1, "kind": "minute", "site": SITE, "queue": queue, "start": start, "end": start + MINUTE, "rev": 1, "final": True,
            "littleResidualMs": 0, "coverage": COVERAGE[queue] and {name: share for name, share in COVERAGE[queue].items() if name != "source"}}
    if is_deaf(queue, start):
        gateway = "till-1" if queue == "checkout" else "till-4"
        return base | {"state": "unknown", "reasons": [{"gateway": gateway, "state": "deaf", "ms": MINUTE}], "knownMs": 0, "length": None,
                       "joined": None, "served": None, "abandoned": None, "waits": None, "forecast": None, "scores": None, "overTargetMs": None}
    left = visits(queue, start, start + MINUTE)
    served = [visit["waitMs"] for visit in left if visit["how"] == "served"]
    now = length(queue, start + MINUTE)
    forecast = wait(queue, start + MINUTE)
    forecast["waitMs"] = forecast.pop("ms")
    value = base | {"state": "ok", "reasons": [], "knownMs": MINUTE,
                    "length": {"mean": round(load(queue, start), 2), "max": now["tags"] + 1, "end": now["tags"], "people": now["people"], "low": now["low"], "high": now["high"]},
                    "joined": len(visits(queue, start, start + MINUTE, "entered")), "served": len(served), "abandoned": len(left) - len(served),
                    "waits": spread(served), "forecast": forecast, "overTargetMs": MINUTE if forecast["waitMs"] > (TARGETS[queue] or math.inf) else 0,
                    "scores": {"scored": len(served), "forecastMs": 200_000, "waitMs": 222_000, "meanErrorMs": 31_000, "inInterval": 0.91}}
    if start == RESTATED and queue == "checkout":
        value |= {"rev": 2, "restated": {"rev": 1, "people": round(now["people"] / 2, 1), "waitMs": forecast["waitMs"] - 60_000, "served": len(served),
                                         "abandoned": len(left) - len(served), "medianMs": value["waits"]["medianMs"],
                                         "reasons": [{"gateway": "till-2", "state": "unknown", "ms": 42_000}]}}
    return value


def spread(waits):
    """Count, mean, median, nine-tenths and maximum of waits."""
    if not waits:
        return {"count": 0, "meanMs": None, "medianMs": None, "p90Ms": None, "maxMs": None}
    waits = sorted(waits)
    at = lambda share: waits[min(len(waits) - 1, int(share * len(waits)))]
    return {"count": len(waits), "meanMs": round(sum(waits) / len(waits)), "medianMs": at(0.5), "p90Ms": at(0.9), "maxMs": waits[-1]}


def visits(queue, start, end, edge="left"):
    """Visits with an edge in the given time: one joins each 150 s while the store is open."""
    step, result = 150_000, []
    for entered in range((start - HOUR) // step * step, end, step):
        if load(queue, entered) == 0 or is_deaf(queue, entered):
            continue
        number = entered // step
        abandoned = number % 9 == 0
        ms = round(wait(queue, entered)["ms"] * (0.75 + 0.5 * (number * 7 % 11) / 10) * (0.5 if abandoned else 1))
        value = {"v": 1, "kind": "visit", "site": SITE, "queue": queue, "entered": entered, "left": entered + ms, "waitMs": ms,
                 "how": "abandoned" if abandoned else "served", "confidence": 0.97}
        if start <= value[edge] < end and value["left"] <= NOW and not is_deaf(queue, value["left"]):
            result.append(value)
    return result


def with_ranges(waits):
    """The waits of an hour or a day, whose longest ones are too few for a range."""
    scaled = lambda ms, factor: ms and round(ms * factor)
    return waits | {"medianLowMs": scaled(waits["medianMs"], 0.8), "medianHighMs": scaled(waits["medianMs"], 1.3),
                    "p90LowMs": scaled(waits["p90Ms"], 0.9), "p90HighMs": None}


def longer(queue, start, end, step):
    """Hours or days."""
    periods = []
    for begin in range(start - (start + HOUR) % step, end, step):
        minutes = [minute(queue, at) for at in range(begin, min(begin + step, NOW), MINUTE)]
        if not minutes:
            continue
        known = [one for one in minutes if one["state"] != "unknown"]
        waits = [visit["waitMs"] for visit in visits(queue, begin, begin + step) if visit["how"] == "served"]
        periods.append({
            "start": begin, "end": begin + step, "knownMs": len(known) * MINUTE, "lengthMs": len(minutes) * MINUTE,
            "state": "unknown" if len(known) * 2 < len(minutes) else "ok" if len(known) == len(minutes) else "degraded",
            "length": {"mean": round(sum(one["length"]["mean"] for one in known) / len(known), 2), "max": max(one["length"]["high"] for one in known)} if known else None,
            "joined": sum(one["joined"] for one in known), "served": sum(one["served"] for one in known),
            "abandoned": sum(one["abandoned"] for one in known), "waits": with_ranges(spread(waits)),
            "scores": {"scored": 140, "forecastMs": 200_000, "waitMs": 222_000, "meanErrorMs": 31_000, "inInterval": 0.91},
            "overTargetMs": sum(one["overTargetMs"] for one in known)})
    return periods


def typical(queue, weekday):
    if weekday == 7:
        return {"weekday": 7, "slots": []}
    slots = []
    for start in range(8 * 60, 20 * 60, 15):
        at = NOW // (24 * HOUR) * 24 * HOUR - HOUR + start * MINUTE
        ms = round(sum(wait(queue, at + shift * MINUTE)["ms"] for shift in range(-40, 50, 10)) / 9)
        slots.append({"startMinute": start, "samples": 8, "medianMs": ms, "p90Ms": round(ms * 1.8), "length": 3.0})
    return {"weekday": weekday, "slots": slots}


def evidence(queue, start, end):
    gateways = []
    for gateway in QUEUES[queue]:
        runs = []
        for at in range(start, end, MINUTE):
            if queue == "checkout" and gateway == "till-1" and is_deaf(queue, at) or gateway == "till-4" and is_deaf("returns", at):
                state = "deaf"
            elif gateway == "till-2" and NOW - 52 * MINUTE <= at < NOW - 48 * MINUTE:
                state = "lost"
            elif at >= NOW:
                state = "unknown"
            else:
                state = "heard" if load(queue, at) > 0.5 else "empty"
            if runs and runs[-1][2] == state:
                runs[-1][1] = at + MINUTE
            else:
                runs.append([at, at + MINUTE, state])
        gateways.append({"gateway": gateway, "role": ROLES[gateway], "runs": runs})
    return {"gateways": gateways}


TUNING = {"beacon": "e2c56db5-dffb-48d2-b060-d0f5a71096e0/42/7", "intervalMs": 100.0, "txPowerDbm": None, "fleet": 3, "site": 7, "gateway": None}
GATEWAYS = [
    {"gateway": "till-4", "configured": True, "state": "deaf", "since": NOW - 19 * MINUTE, "reportsPerSecond": 0.0, "clock": "synced", "delayMs": 210,
     "backlog": 0, "lostMessages": 0, "lastMessage": NOW - 400, "certificateExpiresAt": None, "tuning": TUNING | {"beacon": None, "intervalMs": None}},
    {"gateway": "till-2", "configured": True, "state": "degraded", "since": NOW - 48 * MINUTE, "reportsPerSecond": 41.5, "clock": "unsynced", "delayMs": 1_900,
     "backlog": 12, "lostMessages": 240, "lastMessage": NOW - 900, "certificateExpiresAt": None, "tuning": TUNING | {"txPowerDbm": 4, "gateway": 2}},
] + [{"gateway": name, "configured": True, "state": "online", "since": NOW - 30 * HOUR, "reportsPerSecond": 120.25 + index * 31, "clock": "synced", "delayMs": 180,
      "backlog": 0, "lostMessages": 0, "lastMessage": NOW - 300, "certificateExpiresAt": None, "tuning": TUNING}
     for index, name in enumerate(["entry-1", "entry-2", "till-1", "till-3"])]

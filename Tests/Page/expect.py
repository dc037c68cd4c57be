"""What the page must say about the API's documents: written again from the contract, without the page's code."""

import datetime
import json
import math
import os
import zoneinfo

NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()


def half_up(value):
    return math.floor(value + 0.5)


def counted(count, word, many=None):
    return f"{count} {word if count == 1 else many or word + 's'}"


def half_minutes(ms, up):
    """Half minutes of a wait: rounded down (`up` 0), to the nearest one (0.5), or up (1). From five minutes on, whole minutes."""
    step = 30_000 if ms < 300_000 else 60_000
    steps = -(-ms // step) if up == 1 else math.floor(ms / step + up)
    return steps * step // 30_000


def minutes_text(halves):
    whole, half = divmod(halves, 2)
    return (f"{whole}½" if whole else "½") if half else f"{whole}"


def wait_value(ms):
    """Always in minutes."""
    halves = half_minutes(ms, 0.5)
    if halves == 0 < ms:
        return "under ½ minute"
    return f"{minutes_text(halves)} {'minute' if 0 < halves <= 2 else 'minutes'}"


def duration(ms):
    halves = half_minutes(ms, 0.5)
    if halves < 240:
        return wait_value(ms)
    hours, rest = divmod(halves // 2, 60)
    return counted(hours, "hour") + (f" {counted(rest, 'minute')}" if rest else "")


def wait_range(wait):
    low, high, note = wait["lowMs"], wait["highMs"], ", a guess" if wait["learning"] else ""
    return f"({minutes_text(half_minutes(low, 0))} to {minutes_text(half_minutes(high, 1))}{note})"


def people_value(length):
    return counted(half_up(length["people"]), "person", "people")


def people_range(length):
    return f"({length['low']} to {length['high']})"


def exact(ms):
    minutes, seconds = divmod(half_up(ms / 1000), 60)
    return f"{minutes}:{seconds:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def clock(ms, zone):
    return datetime.datetime.fromtimestamp(ms / 1000, zoneinfo.ZoneInfo(zone)).strftime("%H:%M")


def sentence(documents):
    waits = sorted((one["wait"] for one in documents if one["wait"]), key=lambda wait: -wait["ms"])
    unknown = sum(one["state"] == "unknown" for one in documents)
    unserved = sum(one["state"] != "unknown" and not one["wait"] for one in documents)
    text = f"{NUMBERS[len(documents)].capitalize()} {'queue' if len(documents) == 1 else 'queues'}"
    if unknown:
        text += ", unknown" if len(documents) == 1 else f", {'both' if unknown == len(documents) == 2 else 'all' if unknown == len(documents) else NUMBERS[unknown]} unknown"
    if unserved:
        text += ", no forecast yet" if unserved == len(documents) else f", {NUMBERS[unserved]} without a forecast yet"
    if not waits:
        return text + "."
    # A queue without a forecast may be longer than the others.
    longest = "the longest " if unknown + unserved == 0 else "the other " if len(waits) == 1 else "the longest known "
    return f"{text}, {longest if len(documents) > 1 else ''}{wait_value(waits[0]['ms'])} {wait_range(waits[0])}."


def order(documents):
    """The configured one."""
    return [one["queue"] for one in documents]


def dots(length):
    """How many dots are certain, likely and possible."""
    middle = half_up(length["people"])
    return [length["low"], middle - length["low"], length["high"] - middle]


def since(ms, zone, now):
    """A time, with its date if that is not the date of `now`."""
    at, today = (datetime.datetime.fromtimestamp(one / 1000, zoneinfo.ZoneInfo(zone)) for one in (ms, now))
    return clock(ms, zone) if at.date() == today.date() else f"{at:%a} {at.day} {at:%b}, {clock(ms, zone)}"


# What the page says.
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "words.json"), encoding="utf-8") as file:
    WORDS = json.load(file)
FAULTS = {state: [text.replace("till-2", "{}") for text in texts] for state, texts in WORDS["reasons"].items()}


def beside(ms, other, zone):
    """A time; with its seconds if the other one is in the same minute."""
    return clock(ms, zone) + (f":{ms // 1000 % 60:02}" if other and ms // 60_000 == other // 60_000 else "")


def fault(reason, zone, since=None):
    present, past = FAULTS[reason["state"]]
    until = reason.get("until")
    return present.format(reason["gateway"]) if until is None else f"{past.format(reason['gateway'])} until {beside(until, since, zone)}"


def state(value, zone):
    """The state of a queue with its reasons; None if there is nothing to say."""
    if value["state"] == "ok":
        return None
    word = "Unknown" if value["state"] == "unknown" else "Less certain"
    if value["since"] is None:
        return f"{word}: no messages have arrived yet"
    reasons = ", ".join(fault(one, zone, value["since"]) for one in value["reasons"])
    is_over = value["reasons"] and all(one.get("until") for one in value["reasons"])
    aftermath = ". A person who is still near may have joined unseen" if is_over else ""
    same = next((one["until"] for one in value["reasons"] if one.get("until") and one["until"] // 60_000 == value["since"] // 60_000), None)
    return f"{word} since {beside(value['since'], same, zone)}{aftermath}" + (f": {reasons}" if reasons else "")


def beacon(value):
    """Without a share, a length counts people with a beacon only."""
    return "" if value["coverage"] else " with a beacon"


def people(value):
    return f"{people_value(value['length'])}{beacon(value)} {people_range(value['length'])}"


def trend_name(value):
    length = len(value["trend"])
    return f"Last {f'{length} minutes' if length > 1 else 'minute'}" if length else "No minutes yet"


def trend(value):
    """Of a queue that is known."""
    known = [half_up(people) for _, people in value["trend"] if people is not None]
    text = trend_name(value)
    if known:
        text += f": {f'{min(known)} to ' if min(known) < max(known) else ''}{counted(max(known), 'person', 'people')}{beacon(value)} in line"
    unknown = len(value["trend"]) - len(known)
    return text + (f" · {counted(unknown, 'minute')} unknown" if unknown else "")


def tile(value, zone):
    """All texts of a queue's tile; None for those that are not there."""
    if value["state"] == "unknown":
        return {"wait": None, "people": None, "tills": None, "leavers": None, "target": None, "state": state(value, zone), "trend": trend_name(value)}
    leavers, target = value["leavers"], value["target"]
    gave_up = f", {leavers['abandoned']} gave up" if leavers and leavers["abandoned"] else ""
    return {
        "wait": f"{wait_value(value['wait']['ms'])} {wait_range(value['wait'])}" if value["wait"] else "No forecast yet",
        "people": people(value), "trend": trend(value), "state": state(value, zone),
        "tills": f"{value['tills']['open']} of {counted(value['tills']['of'], 'till')} open" if value["tills"] else None,
        "leavers": f"{counted(leavers['served'], 'beacon')} served{gave_up} · in {duration(leavers['sinceMs'])}" if leavers else None,
        "target": f"Over the target of {wait_value(target['waitMs'])}" if target and target["isOver"] else None}


def minute(value, zone):
    """The row of a minute, without its note."""
    if value["state"] == "unknown":
        faults = [FAULTS[one["state"]][1].format(one["gateway"]) for one in value["reasons"]] or ["people may have joined unseen"]
        return [clock(value["start"], zone), "unknown: " + " and ".join([", ".join(faults[:-1])] * (len(faults) > 1) + faults[-1:]), "", "", "", ""]
    forecast = value["forecast"] and value["forecast"] | {"ms": value["forecast"]["waitMs"]}
    return [clock(value["start"], zone), people(value),
            exact(value["waits"]["medianMs"]) if value["waits"]["count"] else "", str(value["served"]), str(value["abandoned"]),
            f"{wait_value(forecast['ms'])} {wait_range(forecast)}" if forecast else ""]


CONDITIONS = {"online": "online", "degraded": "degraded", "deaf": "does not hear", "silent": "no messages", "offline": "offline", "unknown": "unknown",
              "unsynced": "clock not set", "backlog": "messages wait", "behind": "messages late", "losing": "messages lost", "expiring": "certificate ends"}


def tuning(value):
    """`42/7 every 100 ms, 4 dBm; fleet 3, site 7`."""
    if value is None:
        return "unknown"
    versions = [f"{layer} {value[layer]}" for layer in ("fleet", "site", "gateway") if value[layer] is not None]
    beacon = "no beacon" if value["beacon"] is None else f"{value['beacon'].split('/', 1)[1]} every {value['intervalMs']:g} ms"
    power = "" if value["txPowerDbm"] is None else f", {value['txPowerDbm']} dBm"
    return f"{beacon}{power}; {', '.join(versions) or 'own file only'}"


def gateway(value, zone, now):
    """The row of a gateway."""
    known = lambda name, text: "unknown" if value[name] is None else text(value[name])
    return [value["gateway"], CONDITIONS[value["state"]], since(value["since"], zone, now), known("reportsPerSecond", lambda rate: f"{half_up(rate * 10) / 10:g}"),
            known("clock", {"synced": "synchronised", "unsynced": "not synchronised", "accepted": "not set (accepted)"}.get), known("delayMs", lambda ms: f"{half_up(ms / 100) / 10} s"), known("backlog", str),
            str(value["lostMessages"]), since(value["lastMessage"], zone, now) if value["lastMessage"] else "never", tuning(value["tuning"])]


def share(value):
    """`30 % (25 to 35 %)`."""
    coverage = value["coverage"]
    if not coverage:
        return "unknown"
    low, high = math.floor(coverage["lowPercent"]), math.ceil(coverage["highPercent"])
    return f"{half_up(coverage['percent'])} %" + (f" ({low} to {high} %)" if coverage["lowPercent"] < coverage["highPercent"] else "")


def terse(ms):
    """A duration as the server writes it in tables: its two largest units."""
    if ms is None:
        return "unknown"
    if ms < 9950:
        return f"{math.floor(ms / 100 + 0.5) / 10:.1f} s"
    seconds = half_up(ms / 1000)
    if seconds < 3600:
        return f"{seconds} s" if seconds < 60 else f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds // 60 % 60} min"


def plain(value, zone):
    """The row of a queue in the table for browsers without JavaScript."""
    length, wait, leavers, tills, coverage = (value[key] or {} for key in ("length", "wait", "leavers", "tills", "coverage"))
    number = lambda one: "unknown" if one is None else str(half_up(one))
    share = lambda key: f"{half_up(coverage[key])} %"
    reasons = (f"{one['gateway']} {one['state']}" + (" (over)" if one.get("until") else "") for one in value["reasons"])
    return [
        value["site"], value["queue"], value["state"], clock(value["since"], zone) if value["since"] is not None else "unknown",
        f"{number(length['people'])} ({length['low']} to {length['high']})" if length else "unknown",
        f"{terse(wait['ms'])} ({terse(wait['lowMs'])} to {terse(wait['highMs'])})" if wait else "unknown",
        number(wait.get("scored")), terse(wait.get("meanErrorMs")), terse(leavers.get("p90Ms")),
        f"{tills['open']} of {tills['of']}" if tills else "unknown",
        f"{share('percent')} ({share('lowPercent')} to {share('highPercent')})" if coverage else "unknown", ", ".join(reasons)]


STRIPS = {"heard": "{} heard beacons", "empty": "{} heard nothing"} | {state: past for state, (_, past) in FAULTS.items()}


def run(gateway, run, zone):
    """A part of a gateway's strip."""
    begin, end, heard = run
    return f"{STRIPS[heard].format(gateway)}, {clock(begin, zone)} to {clock(end, zone)}"

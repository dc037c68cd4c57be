"""What the page must say about the API's documents: written again from the contract, without the page's code."""

import datetime
import math
import zoneinfo

NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()


def half_up(value):
    return math.floor(value + 0.5)


def counted(count, word, many=None):
    return f"{count} {word if count == 1 else many or word + 's'}"


def wait_value(ms):
    if ms < 90_000:
        return counted(half_up(ms / 10_000) * 10, "second")
    minutes = half_up(ms / 60_000)
    if minutes < 120:
        return counted(minutes, "minute")
    hours, rest = divmod(minutes, 60)
    return counted(hours, "hour") + (f" {counted(rest, 'minute')}" if rest else "")


def wait_range(wait):
    unit, scale = (10_000, 10) if wait["ms"] < 90_000 else (60_000, 1)
    return f"({wait['lowMs'] // unit * scale} to {-(-wait['highMs'] // unit) * scale})"


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
    known = sorted((one["wait"] for one in documents if one["wait"]), key=lambda wait: -wait["ms"])
    unknown = sum(one["state"] == "unknown" for one in documents)
    text = f"{NUMBERS[len(documents)].capitalize()} {'queue' if len(documents) == 1 else 'queues'}"
    if unknown:
        text += ", unknown" if len(documents) == 1 else f", {NUMBERS[unknown]} unknown"
    if not known:
        return text + ("." if unknown else ", no forecast yet.")
    # An unknown queue may be longer than the others.
    longest = "the longest " if unknown == 0 else "the other " if len(documents) == unknown + 1 else "the longest known "
    return f"{text}, {longest if len(documents) > 1 else ''}{wait_value(known[0]['ms'])} {wait_range(known[0])}."


def order(documents):
    """The longest wait first, then queues without a forecast, then unknown ones."""
    rank = lambda one: (-2 if one["state"] == "unknown" else one["wait"]["ms"] if one["wait"] else -1)
    return [one["queue"] for one in sorted(documents, key=lambda one: (-rank(one), one["queue"]))]


def dots(length):
    """How many dots are certain, likely and possible."""
    middle = half_up(length["people"])
    return [length["low"], middle - length["low"], length["high"] - middle]

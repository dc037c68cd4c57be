"""The schemas of the contract, and the schema for the messages of each topic."""

import json
import os
import re
from decimal import Decimal

import jsonschema

try:
    import referencing
    import referencing.jsonschema
except ImportError:
    referencing = None  # missing in Debian 12's jsonschema

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CONTRACT = f"{ROOT}/config/contract"
PUBLISHED = ["sightings", "status", "health", "config-reported", "trackers"]
# The results of a server. The files have no closed schema.
RESULTS = ["server-status", "queue-served"]
OF_SERVERS = RESULTS + ["queue", "queue-minute", "queue-visit", "region", "region-event", "beacon", "beacon-event", "place", "zone"]
KINDS = PUBLISHED + OF_SERVERS + ["config-desired"]

NAME = r"(?!\.+(?:/|$))[A-Za-z0-9._-]{1,64}"
OF_GATEWAY = re.compile(f"(.+)/({NAME})/({NAME})/(sightings|status|health|config/reported|trackers)")
OF_QUEUE = re.compile(f"(.+)/({NAME})/queues/({NAME})(/minutes|/visits|/served|)")
OF_REGION = re.compile(f"(.+)/({NAME})/regions/({NAME})(/events|)")
OF_BEACON = re.compile(f"(.+)/({NAME})/beacons/(events|[0-9a-f-]{{36}}/[0-9]+/[0-9]+)")
OF_PLACE = re.compile(f"(.+)/({NAME})/places/([0-9a-f-]{{36}}/[0-9]+/[0-9]+)")
OF_ZONE = re.compile(f"(.+)/({NAME})/zones/({NAME})")
QUEUE_KINDS = {"": "queue", "/minutes": "queue-minute", "/visits": "queue-visit", "/served": "queue-served"}
OF_SERVER = re.compile(f"(.+)/status/({NAME})")
# What identifies a beacon; each type has some of them.
IDENTITY = "type", "uuid", "major", "minor", "namespace", "instance", "id"


class Wrong(Exception):
    """The reason why a text is not a message, as one sentence."""


def kind(topic):
    """Returns the kind of a topic's messages, None for other topics; and their site and gateway or queue."""
    match = OF_GATEWAY.fullmatch(topic)
    if match:
        return match[4].replace("/", "-"), match[2], match[3]
    if match := OF_QUEUE.fullmatch(topic):
        return QUEUE_KINDS[match[4]], match[2], match[3]
    if match := OF_PLACE.fullmatch(topic):
        return "place", match[2], match[3]
    if match := OF_ZONE.fullmatch(topic):
        return "zone", match[2], match[3]
    if match := OF_REGION.fullmatch(topic):
        return "region-event" if match[4] else "region", match[2], match[3]
    if match := OF_BEACON.fullmatch(topic):
        return "beacon-event" if match[3] == "events" else "beacon", match[2], match[3]
    if OF_SERVER.fullmatch(topic):
        return "server-status", None, None
    return ("config-desired" if topic.endswith("/config/desired") else None), None, None


def read(text):
    """Reads a JSON text as the agents do: no duplicate keys, exact fractions, 1e3 is an integer."""
    def members(pairs):
        keys = [key for key, _ in pairs]
        if len(set(keys)) != len(keys):
            raise Wrong(f"duplicate key in {keys}")
        return dict(pairs)

    def number(digits):
        value = Decimal(digits)
        return int(value) if value == value.to_integral_value() else value

    def constant(word):
        raise Wrong(f"{word} is not a JSON value")

    try:
        return json.loads(
            text, object_pairs_hook=members, parse_float=number, parse_constant=constant)
    except ValueError as error:
        raise Wrong(f"not JSON: {error}") from None


# The declaration of a region's result.
REGIONS = f"{ROOT}/Sources/Measure/Regions/RegionResult.swift"


def declared_metrics(path):
    """The names of the metrics that a kind of result declares, without their prefix and unit."""
    with open(path, encoding="utf-8") as file:
        return re.findall(r'\.metric\(\s*"(\w+)"', file.read())


def read_file(path):
    with open(path, encoding="utf-8") as file:
        return read(file.read())


def pattern(validator, expression, instance, schema):
    """Patterns as in ECMA 262: `$` matches at the end only, not before a final line feed."""
    if validator.is_type(instance, "string"):
        if not re.search(expression.replace("$", r"\Z"), instance):
            yield jsonschema.ValidationError(f"{instance!r} does not match {expression!r}")


VALIDATOR = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"pattern": pattern})


def validator(place, places):
    """Returns the validator of the schema at a place, which may refer to the other places."""
    if not referencing:
        return VALIDATOR(places[place], resolver=jsonschema.RefResolver(place, places[place], places))
    draft = referencing.jsonschema.DRAFT202012
    # With "$schema", the library would use its own validator and its own patterns.
    bare = {other: {key: value for key, value in schema.items() if key != "$schema"}
            for other, schema in places.items()}
    files = ((other, draft.create_resource(schema)) for other, schema in bare.items())
    return VALIDATOR({"$ref": place}, registry=referencing.Registry().with_resources(files))


class Schemas:
    """The files of the folder `schemas`, by name: `sightings`, `published/sightings`."""

    def __init__(self):
        folder = f"{CONTRACT}/schemas"
        self.all = {}
        for place, _, names in os.walk(folder):
            for name in names:
                path = f"{place}/{name}"
                self.all[os.path.relpath(path, folder).removesuffix(".json")] = read_file(path)
        for schema in self.all.values():
            VALIDATOR.check_schema(schema)
        places = {f"file:///{name}.json": schema for name, schema in self.all.items()}
        places |= {f"file:///closed-{name}.json": closed(self.all[name]) for name in OF_SERVERS}
        self.validators = {place[8:-5]: validator(place, places) for place in places}

    def faults(self, name, value):
        """Returns the faults of a value as `POINTER: SENTENCE`, the deepest place first."""
        errors = sorted(self.validators[name].iter_errors(value), key=lambda e: -len(e.absolute_path))
        return [f"{pointer(error)}: {error.message[:300]}" for error in errors]


def closed(schema):
    """Returns the schema without room for members that it does not name."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {key: closed(value) for key, value in schema.items()}
    if isinstance(copy.get("properties"), dict) and "type" in copy:
        copy.setdefault("additionalProperties", False)
    return copy


def pointer(error):
    return "".join(f"/{part}" for part in error.absolute_path)


def relations(name, message, site=None, gateway=None):
    """Returns the rules beyond the schemas that a valid message breaks, as sentences."""
    if name == "config-reported":
        told = [layer for layer, version in message["versions"].items()
                if "digests" in message and (version is None) != (message["digests"][layer] is None)]
        dated = [layer for layer, since in message.get("since", {}).items()
                 if since is not None and message["versions"][layer] is None]
        return [f"the {layer}'s document has both version and digest, or none" for layer in told] + [
            f"the {layer}'s document has a time only with a version" for layer in dated]
    if name in ("queue", "queue-minute", "queue-visit"):
        same = site is None or (message["site"], message["queue"]) == (site, gateway)
        return [] if same else ["broken rule: site and queue equal those of the topic"]
    if name == "zone":
        counts = [message[key] for key in ("visitors", "things")]
        told = {
            "site and zone equal those of the topic": site is None or (message["site"], message["zone"]) == (site, gateway),
            "the numbers are null in the state unknown": all((count is None) == (message["state"] == "unknown") for count in counts),
            "a number is within its interval, whose ends are whole numbers": all(count["low"] - 1 < count["expected"] < count["high"] + 1 for count in counts if count),
        }
        return [f"broken rule: {rule}" for rule, holds in told.items() if not holds]
    if name == "place":
        told = {
            "site and beacon equal those of the topic": site is None or (message["site"], message["beacon"]) == (site, gateway),
            "a place is known by its area": (message["state"] == "known") == (message["place"] is not None),
        }
        return [f"broken rule: {rule}" for rule, holds in told.items() if not holds]
    if name in ("beacon", "beacon-event"):
        told = {
            "the site equals that of the topic": site is None or message["site"] == site,
            "the beacon equals that of the topic": site is None or name == "beacon-event" or message["beacon"] == gateway,
            "the fault follows from the state": name == "beacon-event" or (message["fault"] == "yes") == (
                message["state"] in ("clone", "missing", "battery", "moved", "interval", "unseen")),
        }
        return [f"broken rule: {rule}" for rule, holds in told.items() if not holds]
    if name in ("region", "region-event"):
        told = {
            "site and region equal those of the topic": site is None or (message["site"], message["region"]) == (site, gateway),
            "an event has a beacon or a tag": name == "region" or ("beacon" in message) != ("tag" in message),
            "withdrawn has the event that did not happen":
                name == "region" or (message["event"] == "withdrawn") == ("of" in message),
        }
        return [f"broken rule: {rule}" for rule, holds in told.items() if not holds]
    if name != "sightings":
        return []
    m, width = message, message["window"]["end"] - message["window"]["start"]
    told = {
        "site and gateway equal those of the topic": site is None or (m["site"], m["gateway"]) == (site, gateway),
        "the window does not end before it starts": width >= 0,
        "seqs ends with seq and starts before it":
            "seqs" not in m or m["seqs"][0] < m["seqs"][1] == m["seq"],
        "the index of a part is below the number of parts": "part" not in m or m["part"]["index"] < m["part"]["of"],
        "a loss does not end before it starts": "lost" not in m or m["lost"]["fromSeq"] <= m["lost"]["toSeq"],
        "every counted beacon report is in a sighting":
            "part" in m or sum(s["count"] for s in m["sightings"]) == m["radio"]["beacons"],
        "no identity is repeated":
            len({tuple(s.get(key) for key in IDENTITY) for s in m["sightings"]}) == len(m["sightings"]),
    }
    if "radio" in m:
        counted = sum(m["radio"][key] for key in ("beacons", "filtered", "malformed", "implausible"))
        told["no report is counted twice"] = counted <= m["radio"]["reports"]
    for s in m["sightings"]:
        # All times are rounded down, including the end of a window that ended early.
        told["firstSeen and lastSeen are inside the window"] = s["firstSeen"] <= s["lastSeen"] <= width
        told["senders do not exceed reports"] = s["senders"] <= s["count"]
        if "rssi" in s:
            rssi, power = s["rssi"], s["power"]
            told["min, mean and max are in order"] = rssi["min"] <= rssi["mean"] <= rssi["max"]
            told["last is between min and max"] = rssi["min"] <= rssi["last"] <= rssi["max"]
            told["the mean power is between min and max"] = rssi["min"] <= power["mean"] <= rssi["max"]
            told["maxAt is between firstSeen and lastSeen"] = s["firstSeen"] <= s["maxAt"] <= s["lastSeen"]
            told["centroid is between firstSeen and lastSeen"] = (
                s["firstSeen"] <= power["centroid"] <= s["lastSeen"] + 1)
        if not all(told.values()):
            break
    return [f"broken rule: {sentence}" for sentence, is_so in told.items() if not is_so]

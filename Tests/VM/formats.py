"""The formats that a gateway advertises: in turn on a legacy controller, as sets on an extended one."""

import json

from guest import Agent, Layer, Subscriber, expect, virtual_radio, wait_for
from tuning import UUID, identity, last_reported

ALL = ["ibeacon", "eddystone-uid", "altbeacon"]
# The UUID without its bytes 5 to 10; two zeros, major, minor (Eddystone-UID specification). An AltBeacon has all 20 bytes.
BARE = UUID.replace("-", "")
HEARD = {
    "ibeacon": {"uuid": UUID, "major": 42, "minor": 7},
    "eddystone-uid": {"namespace": BARE[:8] + BARE[20:], "instance": "0000002a0007"},
    "altbeacon": {"id": BARE + "002a0007"},
}
IBEACON, UID, ALTBEACON = 0xEF, 0xEE, 0xED  # handles


def own(subscriber, kind, after=0):
    """The sightings of the gateway's beacon in a format, in the windows since `after`."""
    return [s for b in subscriber.batches()[after:] for s in b["sightings"]
            if s["type"] == kind and all(s[key] == value for key, value in HEARD[kind].items())]


def on_air(radio):
    """What the shelf's controller has had on the air, change by change."""
    lines = [json.loads(line) for line in radio.says(r'^{"gateway":"shelf","onAir"')]
    return [line["onAir"] for line in lines]


def formats(family):
    """Another gateway hears all formats of one MQTT message, with the telemetry, and the iBeacon alone after another."""
    gateway = f"{family}-formats"
    with virtual_radio(family, "legacy") as radio, Layer(gateway) as layer, \
            Subscriber(gateway) as subscriber, Subscriber("counter") as counter:
        shelf, other = radio.adapters
        with Agent("counter", other.name, filter={"formats": ALL}), \
                Agent(gateway, shelf.name, advertise=identity(7), filter={"formats": ALL}) as agent:
            wait_for(lambda: own(counter, "ibeacon"), "the iBeacon")
            expect(not own(counter, "altbeacon"), "an AltBeacon without a layer")
            layer.publish(advertise={"formats": ALL})
            for kind in ALL:
                wait_for(lambda kind=kind: len(own(counter, kind)) >= 5, f"5 sightings of {kind}")
            told = wait_for(
                lambda: [s["telemetry"] for s in own(counter, "eddystone-uid") if "telemetry" in s],
                "telemetry")
            report = last_reported(subscriber, 1)
            expect(report["effective"]["advertise"]["formats"] == ALL, f"in force: {report}")
            expect(report["radio"]["intervalMs"] == 100, f"radio: {report['radio']}")
            check_sets(on_air(radio)[-1], family)
            layer.publish(advertise={"formats": ["ibeacon"]})
            last_reported(subscriber, 2)
            changes, windows = len(on_air(radio)), len(counter.batches())
            wait_for(lambda: len(counter.batches()) >= windows + 4, "four more windows")
            expect(own(counter, "ibeacon", windows + 1), "no iBeacon after the change")
            for kind in ("eddystone-uid", "altbeacon"):
                # A busy radio reports late.
                expect(not own(counter, kind, windows + 3), f"{kind} after the change")
            expect(len(on_air(radio)) == changes, f"a turn after the change: {on_air(radio)[changes:]}")
            expect(agent.end() == 0, "the agent did not end cleanly")
            expect(on_air(radio)[-1] == [], f"on the air after the end: {on_air(radio)[-1]}")
        uptime = float(open("/proc/uptime").read().split()[0]) * 1000
        for one in told:
            # The guest has no thermometer.
            expect("millivolts" not in one and 0 < one["uptimeMs"] < uptime, f"telemetry {one}")
        for kind in ALL:
            powers = {s["measuredPower"] for s in own(counter, kind)}
            expect(powers == {-61}, f"power of {kind}: {powers}")
            expect(not own(subscriber, kind), f"the gateway heard its own {kind}")


def check_sets(sets, family):
    """A set for each format, at the interval; or the only one."""
    handles = [None] if family == "legacy" else [ALTBEACON, UID, IBEACON]
    expect([one["handle"] for one in sets] == handles, f"sets {sets}")
    expect(all(one["intervalMs"] == 100 and "intervalMaxMs" not in one for one in sets), f"{sets}")


def formats_in_turn_on_a_legacy_controller():
    formats("legacy")


def formats_as_sets_on_an_extended_controller():
    formats("extended")


SCENARIOS = [formats_in_turn_on_a_legacy_controller, formats_as_sets_on_an_extended_controller]

#!/usr/bin/env python3
"""Prints what gateways report, with types from the schemas (README.md): consumer.py [HOST [PORT]]"""
import json
import sys
from datetime import datetime, timezone

import msgspec
import paho.mqtt.client as mqtt
from messages.sightings import Sightings
from messages.status import Status

seen = set()  # a real backend stores it: a repetition can come after a restart


def on_connect(client, userdata, flags, reason, properties):
    if reason.is_failure:
        sys.exit(f"the broker refuses the connection: {reason}")
    client.subscribe([(f"sightline/v1/+/+/{kind}", 1) for kind in ("status", "sightings")])


def on_message(client, userdata, message):
    # The broker protects the topic. The payload's site and gateway prove nothing.
    *_, site, gateway, kind = message.topic.split("/")
    try:
        text = {"status": status, "sightings": sightings}[kind](json.loads(message.payload))
    except (ValueError, LookupError, TypeError, msgspec.ValidationError) as error:
        text = f"not understood: {error}"
    if text:
        print(f"{site}/{gateway} {text}", flush=True)


def status(document):
    status = msgspec.convert(document, Status)
    return f"{status.state.value}, version {status.version}, clock {status.clock.value}"


def sightings(document):
    # A later version may report other kinds of beacons.
    document["sightings"] = [one for one in document["sightings"] if one["type"] == "ibeacon"]
    window = msgspec.convert(document, Sightings)
    if (window.session, window.seq) in seen:
        return None  # delivered again
    seen.add((window.session, window.seq))
    text = f"{datetime.fromtimestamp(window.window.start / 1000, timezone.utc):%H:%M:%S}"
    lost = f", lost {window.lost.batches} messages: {window.lost.reason}" if window.lost else ""
    if window.radio and window.radio.state and window.radio.state.value == "deaf":
        return f"{text} deaf: nothing is known{lost}"
    text += f" {len(window.sightings)} beacons, {sum(one.count for one in window.sightings)} reports"
    loudest = max((one for one in window.sightings if one.rssi), key=lambda one: one.rssi.mean, default=None)
    return text + (f", loudest {loudest.major}/{loudest.minor} at {loudest.rssi.mean} dBm" if loudest else "") + lost


client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="consumer", protocol=mqtt.MQTTv5)
client.on_connect, client.on_message = on_connect, on_message
properties = mqtt.Properties(mqtt.PacketTypes.CONNECT)
properties.SessionExpiryInterval = 24 * 3600  # so long, the broker keeps messages for an absent client
host, port = (sys.argv[1:] + ["localhost", "1883"][len(sys.argv[1:]):])[:2]
client.connect(host, int(port), clean_start=False, properties=properties)
client.loop_forever()

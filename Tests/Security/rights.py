"""Topics, wills, client identifiers and user names: each client tries what it has no right to."""

import wire
from processes import expect
from provisioned import GATEWAYS, Provisioned

V1 = "sightline/v1"
RESULTS = "sightline/results/v1"
DISCOVERY = tuple(f"homeassistant/device/_{kind}/" for kind in ("queues", "regions", "beacons", "zones"))
USERS = [*GATEWAYS, "alice", "alice.watch", "queue", "server", "pos", "hass"]
OWN = ["sightings", "health", "config/reported", "status", "trackers"]
TOPICS = [
    *[f"{V1}/{place}/{kind}" for place in GATEWAYS for kind in [*OWN, "config/desired", "other", "status/more"]],
    *[f"{V1}{scope}/config/desired" for scope in ("", "/store-042", "/store-043")],
    *[f"{V1}/{rest}" for rest in ("store-042", "store-042/entry-1", "store-042/status", "other", "a/b/c/config/desired")],
    *[f"homeassistant/device/{place}/config" for place in GATEWAYS],
    *[f"{RESULTS}/store-042/queues/checkout{rest}" for rest in ("", "/visits", "/minutes", "/served")],
    *[f"{RESULTS}/store-042/regions/shop{rest}" for rest in ("", "/events")],
    f"{RESULTS}/status/server", *[f"homeassistant/device/_{kind}/store-042_scheckout/config" for kind in ("queues", "regions", "zones")],
    "homeassistant/status", "homeassistant/device/store-042/config", "sightline/v2/store-042/entry-1/status", "other",
    "store-042/entry-1",
]


def layers(gateway):
    return [f"{V1}/config/desired", f"{V1}/{gateway.split('/')[0]}/config/desired", f"{V1}/{gateway}/config/desired"]


def may_write(user, topic):
    """The rights in packaging/README.md."""
    if "/" in user:
        return topic in [f"{V1}/{user}/{kind}" for kind in OWN] + [f"homeassistant/device/{user}/config"]
    if user == "hass":
        return topic.startswith("homeassistant/")
    if user == "server":
        return topic.startswith((f"{RESULTS}/", *DISCOVERY))
    if user == "pos":
        return topic.endswith("/served")
    levels = topic.split("/")
    return user == "alice" and topic.startswith(f"{V1}/") and levels[-2:] == ["config", "desired"] and len(levels) <= 6


def may_read(user, topic):
    if "/" in user:
        return topic in [*layers(user), f"{V1}/{user}/status", f"homeassistant/device/{user}/config"]
    if user == "pos":
        return False
    if topic.startswith("homeassistant/"):
        return user == "hass" or user == "server" and topic.startswith(DISCOVERY)
    return topic.startswith((f"{V1}/", f"{RESULTS}/"))


def writing():
    """Every user publishes to every topic."""
    with Provisioned() as site:
        witness = site.client("witness")
        witness.subscribe("#")
        for version in (5, 4):
            for user in USERS:
                client = site.client(user, version=version)
                for topic in TOPICS:
                    reason = client.publish(topic, user)
                    wanted = wire.SUCCESS if may_write(user, topic) or version == 4 else wire.NOT_AUTHORISED
                    expect(reason == wanted, f"{user} to {topic}, version {version}: {reason:#x}")
                client.drop()
            witness.barrier()
            allowed = {(topic, user) for user in USERS for topic in TOPICS if may_write(user, topic)}
            expect(set(witness.messages) == allowed, f"{set(witness.messages) ^ allowed}")
            witness.messages.clear()
    return f"{len(USERS)} users × {len(TOPICS)} topics × 2 versions"


def reading():
    """Every user subscribes to everything, also through wildcards, shared subscriptions and retained messages."""
    with Provisioned() as site:
        filters = ["#", "+/+/+/+/#", "$SYS/#", "$share/group/#"]
        clients = {user: site.client(user) for user in USERS}
        for client in clients.values():
            client.subscribe(*filters)
        witness = site.client("witness")
        for topic in TOPICS:
            expect(witness.publish(topic) == wire.SUCCESS, f"the witness may not write to {topic}")
            witness.publish(topic, retain=True)
        for user, client in clients.items():
            client.barrier()
            wanted = {topic for topic in TOPICS if may_read(user, topic)}
            seen = {topic for topic, _ in client.messages}
            expect(seen == wanted, f"{user}: {seen ^ wanted}")
            client.drop()
            later = site.client(user)
            later.subscribe(*filters)
            later.barrier()
            kept = {topic for topic, _ in later.retained}
            expect(kept == wanted, f"{user}, retained: {kept ^ wanted}")
    return f"{len(USERS)} users × {len(TOPICS)} topics × {len(filters)} filters"


def wills():
    """A client's will is for a topic of another."""
    with Provisioned() as site:
        witness = site.client("witness")
        witness.subscribe("#")
        tried = 0
        for user in USERS:
            for topic in TOPICS:
                if may_write(user, topic):
                    continue
                tried += 1
                try:
                    site.client(user, will=topic).drop()
                    # The broker has ended that connection before it accepts the next one of the same name.
                    site.client(user).drop()
                except wire.Refused:
                    pass
        site.client("hass").publish("homeassistant/status", "last")
        witness.barrier()
        expect(witness.messages == [("homeassistant/status", "last")], f"{witness.messages}")
    return f"{tried} wills"


def identifiers():
    """Clients ask for the identifier of another client, and for its user name."""
    with Provisioned() as site:
        victims = {user: site.client(user, version=version) for user, version in [
            ("store-042/entry-1", 5), ("store-042/till-1", 4), ("alice", 5)]}
        # A backend whose session outlives its connection.
        queue = site.client("queue", clean=False)
        queue.subscribe(f"{V1}/#", quality=1)
        queue.drop()
        tried = 0
        for attacker in ["store-043/entry-1", "alice.watch", "hass"]:
            for claim in [*victims, "queue", "sightline-store-042-till-1", ""]:
                for version in (5, 4):
                    for clean in (True, False):
                        if not claim and version == 4 and not clean:
                            continue  # MQTT 3.1.1 forbids it
                        client = site.client(attacker, version=version, identifier=claim, username=claim, clean=clean)
                        client.barrier()
                        expect(client.publish("other") == (0 if version == 4 else wire.NOT_AUTHORISED), "may write")
                        expect(not client.messages, f"{attacker} as {claim} received {client.messages}")
                        client.drop()
                        tried += 1
        for user, victim in victims.items():
            expect(victim.is_alive(), f"{user} was evicted")
        victims["alice"].publish(f"{V1}/config/desired", "for queue")
        queue = site.client("queue", clean=False)
        queue.barrier()
        expect(queue.has_session and (f"{V1}/config/desired", "for queue") in queue.messages,
               f"the backend lost its session: {queue.messages}")
    return f"{tried} claims"


SCENARIOS = [writing, reading, wills, identifiers]

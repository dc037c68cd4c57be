"""Checks that a subscriber's messages are complete, or declare their losses, and are consistent.

Uses only the message contract (config/contract/README.md, "Sightings") and no code of the agent:

    received = ReceivedMessages()
    received.add(payload)                     # each message of a topic …/sightings, as bytes
    faults = received.faults()                # sentences; none if every check passes
    received.counts(sessions)                 # {(uuid, major, minor): reports} of some sessions, or of all
    received.sessions                         # {session: Session}, in the order of their begin

A Session has `messages` (distinct, by number), `last` (the highest known number), `missing` (numbers up to
it that are in no message), `undeclared` (missing numbers that are in no `lost`), `declared` (sum of `lost.batches`),
`spans` (the losses), `end` (of its last window, ms), and `begun` (ms, from its name).

`faults(killed=…)` takes the sessions that ended with a kill -9, {session: ms of the clock}: their unstored batches
may be missing, but only those of windows that ended later. In sessions in `excused` any number may be missing,
because the log declares it.
`ReceivedMessages(steps=True)` is for tests that set the clock: windows may then overlap.
"""

import collections
import json

COUNTERS = ("reports", "beacons", "filtered", "malformed", "implausible", "dropped")


class Message:
    """A message, with the sequence numbers from `low` to `high` that it contains, and its arrival (seconds since 1970)."""

    def __init__(self, payload, at=None):
        self.payload, self.at = payload, at
        self.value = value = json.loads(payload)
        self.session, self.seq = value["session"], value["seq"]
        self.low, self.high = value.get("seqs", [self.seq, self.seq])
        self.start, self.end = value["window"]["start"], value["window"]["end"]
        self.place = (value["site"], value["gateway"])
        self.part = value.get("part", {"index": 0, "of": 1})
        self.lost = value.get("lost")

    def __str__(self):
        numbers = f"{self.low}…{self.high}" if self.low != self.high else f"{self.seq}"
        return f"{self.session[-4:]} {numbers} ({self.start}…{self.end})"


class Session:
    """The messages of one run of the agent."""

    def __init__(self, name):
        self.name = name
        self.begun = int(name.replace("-", "")[:12], 16)  # a UUID of version 7
        self.by_seq = {}

    @property
    def messages(self):
        return [self.by_seq[seq] for seq in sorted(self.by_seq)]

    @property
    def end(self):
        return max(message.end for message in self.by_seq.values())

    @property
    def spans(self):
        return [(m.lost["fromSeq"], m.lost["toSeq"], m.lost["batches"]) for m in self.messages
                if m.lost]

    @property
    def declared(self):
        return sum(batches for _, _, batches in self.spans)

    @property
    def last(self):
        return max([m.high for m in self.messages] + [to for _, to, _ in self.spans])

    @property
    def missing(self):
        held = set()
        for message in self.messages:
            held.update(range(message.low, message.high + 1))
        return [number for number in range(self.last + 1) if number not in held]

    @property
    def undeclared(self):
        spans = self.spans
        return [n for n in self.missing if not any(low <= n <= high for low, high, _ in spans)]

    @property
    def merged(self):
        """The number of batches that were merged into others."""
        return sum(message.high - message.low for message in self.messages)

    def counts(self):
        total = collections.Counter()
        for message in self.messages:
            for s in message.value["sightings"]:
                total[s["uuid"], s["major"], s["minor"]] += s["count"]
        return total

    def reports(self):
        return sum(m.value.get("radio", {}).get("reports", 0) for m in self.messages)


class ReceivedMessages:
    def __init__(self, steps=False, widest_ms=600_000):
        self.steps, self.widest_ms = steps, widest_ms
        self.unordered = {}
        self.received = self.duplicates = 0
        self.differing = []

    def add(self, payload, at=None):
        """Adds a message, which may be a repetition."""
        message = Message(payload, at)
        self.received += 1
        session = self.unordered.setdefault(message.session, Session(message.session))
        before = session.by_seq.setdefault(message.seq, message)
        if before is not message:
            self.duplicates += 1
            if before.payload != payload:
                self.differing.append(f"two messages are {message}:\n{before.payload}\n{payload}")
        return message

    @property
    def sessions(self):
        return {s.name: s for s in sorted(self.unordered.values(), key=lambda s: s.begun)}

    def counts(self, names=None):
        total = collections.Counter()
        for name, session in self.unordered.items():
            if names is None or name in names:
                total += session.counts()
        return total

    def figures(self):
        sessions = self.unordered.values()
        return {
            "messages": self.received, "sessions": len(sessions), "duplicates": self.duplicates,
            "merged": sum(s.merged for s in sessions), "lost": sum(s.declared for s in sessions),
            "missing": sum(len(s.missing) for s in sessions),
        }

    def faults(self, killed=None, excused=()):
        """The violations of the contract, as sentences."""
        found = list(self.differing)
        for session in self.sessions.values():
            since = (killed or {}).get(session.name)
            if session.name not in excused:
                found += self.numbers(session, since)
            found += self.windows(session)
            found += self.counters(session)
        return found

    def numbers(self, session, since):
        """Each number is in one message, or in a `lost`, or was too recent at the kill to be stored."""
        holder = {}
        for message in session.messages:
            if message.high != message.seq or not 0 <= message.low <= message.high:
                yield f"{message}: seq is not the last of seqs"
            for number in range(message.low, message.high + 1):
                if number in holder:
                    yield f"{number} is in {message} and in {holder[number]}"
                holder[number] = message
        for low, high, batches in session.spans:
            if not 1 <= batches <= high - low + 1:
                yield f"{session.name} has lost {batches} batches in {low}…{high}"
        undeclared = session.undeclared
        for number in undeclared:
            before = [m.end for m in session.messages if m.high < number]
            if since is None:
                yield f"{session.name}: {number} is undeclared (last is {session.last})"
            elif not before or max(before) < since:
                yield f"{session.name}: {number} had to be stored before the kill"
        gone = len(session.missing) - len(undeclared)
        if session.declared > gone or (since is None and session.declared < gone):
            yield f"{session.name} declares {session.declared} lost batches, and misses {gone}"

    def windows(self, session):
        """Windows follow each other without a gap, and all parts of a message have the same window."""
        before = None
        for message in session.messages:
            if not message.start < message.end <= message.start + self.widest_ms:
                yield f"{message}: not the width of a window"
            for sighting in message.value["sightings"]:
                if sighting["lastSeen"] > message.end - message.start or sighting["count"] < 1:
                    yield f"{message}: {sighting}"
            if before and before.place != message.place:
                yield f"{message} is from {message.place}, not {before.place}"
            if before and not self.steps:
                adjacent = message.low == before.high + 1
                if message.part["index"] > 0 and adjacent:
                    if (message.start, message.end) != (before.start, before.end):
                        yield f"{message} is a part of another window than {before}"
                elif message.part["index"] > 0 and message.start == before.start:
                    pass
                elif message.start < before.end:
                    yield f"{message} overlaps {before}"
                elif adjacent and message.start != before.end:
                    yield f"{message}: a gap after {before}"
            before = message

    def counters(self, session):
        """The sum of the sightings equals the radio's counters."""
        windows = {}
        for message in session.messages:
            windows.setdefault((message.start, message.part["of"]), []).append(message)
        for parts in windows.values():
            first = [m for m in parts if m.part["index"] == 0]
            if self.steps or not first or len(parts) != parts[0].part["of"]:
                continue
            radio = first[0].value.get("radio", {})
            if any(radio.get(name, 0) < 0 for name in COUNTERS):
                yield f"{first[0]}: {radio}"
            counted = sum(s["count"] for m in parts for s in m.value["sightings"])
            if counted != radio.get("beacons", 0):
                yield f"{first[0]}: {counted} in its sightings, and {radio}"

"""What the kernel handed to an agent, by the kernel's own word: the reports that passed its monitor while the agent had
its sockets open. Knows HCI by itself."""

import collections
import struct
import uuid

OPEN, CLOSE, EVENT = 14, 15, 3  # btsnoop's packet kinds (bluez, doc/btsnoop-protocol)
RAW, USER = 0, 1
EDGE = 150  # ms: what comes so shortly before a socket is closed may not have been read


class Ears:
    """One agent's: all that `channel` heard of an agent's adapters, RAW or USER. `stretches` are the times, in ms, in
    which it listened; `heard` the identities and times of the iBeacons that came meanwhile."""

    def __init__(self, witness, channel):
        self.stretches, self.heard, self.reports = [], [], 0
        wanted = 2 if channel == RAW else 1  # on the raw channel commands have a socket of their own
        sockets, since, adapter = {}, None, None
        for index, kind, at, body in witness.everything():
            if kind == OPEN and len(body) >= 30 and index != 0xFFFF:
                cookie, form = struct.unpack("<IH", body[:6])
                if form == channel and body[14:30].split(b"\0")[0] == b"sightlined":
                    sockets[cookie] = index
            elif kind == CLOSE and len(body) >= 4:
                sockets.pop(struct.unpack("<I", body[:4])[0], None)
            elif kind == EVENT and since is not None and index == adapter:
                for beacon in reports(body):
                    self.reports += 1
                    if beacon:
                        self.heard.append((beacon, at))
            if since is None and len(sockets) == wanted:
                since, [adapter] = at, set(sockets.values())
            elif since is not None and len(sockets) < wanted:
                self.stretches.append((since, at))
                since = None
        if since is not None:
            self.stretches.append((since, at))

    def most(self):
        return collections.Counter(beacon for beacon, _ in self.heard)

    def least(self):
        """Without what came so near to an end that it may have remained unread."""
        return collections.Counter(
            beacon for beacon, at in self.heard
            if any(begin <= at < end - EDGE for begin, end in self.stretches))

    def covers(self, start, end):
        return any(begin <= start + EDGE and end - EDGE <= to for begin, to in self.stretches)


def reports(event):
    """The advertising reports of an event: an identity, or None for what is no iBeacon (Core 5.4, 7.7.65.2 and .13)."""
    if len(event) < 4 or event[0] != 0x3E or event[2] not in (0x02, 0x0D):
        return
    head, at = (9, 4) if event[2] == 0x02 else (24, 4)
    length_at = 8 if event[2] == 0x02 else 23
    for _ in range(event[3]):
        length = event[at + length_at]
        yield ibeacon(event[at + head:at + head + length])
        at += head + length + (1 if event[2] == 0x02 else 0)


def ibeacon(data):
    at = 0
    while at < len(data) and data[at]:
        item = data[at + 1:at + 1 + data[at]]
        if item[:5] == bytes.fromhex("ff4c000215") and len(item) >= 26:
            return (str(uuid.UUID(bytes=item[5:21])), *struct.unpack(">HH", item[21:25]))
        at += 1 + data[at]
    return None

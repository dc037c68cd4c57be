"""The advertising reports that the kernel handed to an agent: those that passed its HCI monitor while the agent's sockets
were open. Decodes HCI without any code of the agent."""

import collections
import statistics
import struct
import uuid

from guest import expect
from hci_monitor import EVENT

OPEN, CLOSE = 14, 15  # packet types (bluez, doc/btsnoop-protocol.txt)
RAW, USER = 0, 1
NO_ADAPTER = 0xFFFF  # a socket that is bound to no adapter
EDGE = 150  # ms: an agent may leave reports unread that arrive this shortly before it closes its socket


class KernelTrace:
    """The reports for one agent, on an adapter or on all that it uses, through `channel`: RAW or USER.

    `stretches` are the times (ms) between which its sockets were open. `times` has the iBeacons' identities with the
    times of their reports, `reports` the times of all reports."""

    def __init__(self, monitor, channel, adapter=None):
        self.stretches, self.times, self.reports = [], collections.defaultdict(list), []
        only = adapter and int(adapter.name.removeprefix("hci"))
        wanted = 2 if channel == RAW else 1  # on the raw channel commands have a socket of their own
        sockets, since, current = {}, None, None
        for index, kind, at, body in monitor.everything():
            if kind == OPEN and len(body) >= 30 and index != NO_ADAPTER and only in (None, index):
                cookie, form = struct.unpack("<IH", body[:6])
                if form == channel and body[14:30].split(b"\0")[0] == b"sightlined":
                    sockets[cookie] = index
            elif kind == CLOSE and len(body) >= 4:
                sockets.pop(struct.unpack("<I", body[:4])[0], None)
            elif kind == EVENT and since is not None and index == current:
                for beacon in reports(body):
                    self.reports.append(at)
                    if beacon:
                        self.times[beacon].append(at)
            # An agent may open its sockets on another adapter before it has closed the last one of the old.
            counts = collections.Counter(sockets.values())
            if since is not None and counts[current] < wanted:
                self.stretches.append((since, at))
                since = None
            if since is None:
                listening = [number for number, count in counts.items() if count >= wanted]
                if listening:
                    since, current = at, listening[0]
        if since is not None:
            self.stretches.append((since, at))

    @property
    def total(self):
        return sum(map(len, self.times.values()))

    def bounds(self, beacon):
        """The least and the most reports that the agent can have counted."""
        return len(self.certain(beacon)), len(self.times[beacon])

    def certain(self, beacon):
        """The times of the reports that the agent must have counted."""
        return [at for at in self.times[beacon]
                if any(begin <= at < end - EDGE for begin, end in self.stretches)]

    def covers(self, start, end):
        return any(begin <= start + EDGE and end - EDGE <= to for begin, to in self.stretches)

    def count_between(self, start, end):
        """The iBeacons' reports in this time that the agent must have counted."""
        return sum(start <= at < end for beacon in self.times for at in self.certain(beacon))

    def count_before(self, end):
        return sum(at < end for at in self.reports)

    def check_interval(self, beacon, shortest, longest):
        """The interval of the beacon's reports, in ms: the median slope of all pairs of reports (Theil-Sen estimator),
        which a busy machine's delays barely change."""
        times = self.times[beacon]
        expect(len(times) >= 20, f"only {len(times)} reports of {beacon}")
        interval = statistics.median((times[j] - times[i]) / (j - i)
                                     for j in range(len(times)) for i in range(j))
        expect(shortest <= interval <= longest,
               f"{interval:.1f} ms between reports of {beacon}, not {shortest} to {longest}")


def reports(event):
    """The advertising reports of an event: an identity, or None for other data (Core 5.4, 7.7.65.2 and .13)."""
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

"""The kernel's HCI monitor: every packet between the kernel and its adapters, and every socket that is open on them."""

import os
import struct

from guest import TEMP, Program, expect, wait_for
from hci_channel import HCI_CHANNEL_LOGGING, HCI_DEV_NONE, open_channel

CAPTURE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "capture-hci-monitor")
FILE_HEADER, RECORD = 16, struct.Struct(">4xII4xq")  # of btsnoop; a record's length, flags and time
EPOCH = 0x00DCDDB30F2F8000  # 1970 in btsnoop's microseconds, which count from the year 0
COMMAND, EVENT, USER_LOGGING = 2, 3, 13  # packet types (bluez, doc/btsnoop-protocol.txt)
COMMAND_COMPLETE, COMMAND_STATUS = 0x0E, 0x0F
BARRIER = b"\x07\x10sightline tests\0"  # a user logging message's priority and identifier


class HCIMonitor(Program):
    """A capture of the monitor channel by a process of its own, which fails when the kernel dropped a packet.

    Each query waits until the capture has all that the kernel had queued when the query began."""

    def __init__(self):
        self.capture = f"{TEMP}/{Program.count + 1:02}.btsnoop"
        super().__init__(CAPTURE, self.capture)
        self.records, self.position, self.barriers, self.reached = [], FILE_HEADER, 0, 0
        self.until(lambda: os.path.exists(self.capture)
                   and os.path.getsize(self.capture) >= FILE_HEADER, "the HCI monitor channel")
        self.logging = open_channel(HCI_CHANNEL_LOGGING)

    def __exit__(self, *_):
        self.logging.close()
        status = self.end()
        expect(status == 0, f"the capture failed with {status}: {' '.join(self.lines()[-1:])}")

    def synchronize(self):
        """Sends a user logging message, which the kernel queues behind every earlier packet whatever the adapters'
        state is, and waits until the capture has it."""
        self.barriers += 1
        message = BARRIER + f"{self.barriers}".encode() + b"\0"
        self.logging.send(struct.pack("<HHH", 0, HCI_DEV_NONE, len(message)) + message)

        def is_reached():
            self.parse()
            return self.reached == self.barriers

        wait_for(lambda: is_reached() or self.process.poll() is not None, "the HCI monitor's barrier")
        expect(is_reached(), f"the capture ended: {' '.join(self.lines()[-1:])}")

    def parse(self):
        """Takes the records in that the capture wrote since the last call."""
        with open(self.capture, "rb") as file:
            file.seek(self.position)
            data = file.read()
        at = 0
        while at + RECORD.size <= len(data):
            size, flags, time = RECORD.unpack_from(data, at)
            body = data[at + RECORD.size:at + RECORD.size + size]
            if len(body) < size:
                break
            at += RECORD.size + size
            # In the monitor format, the flags are the adapter's number and the packet's type.
            adapter, kind = flags >> 16, flags & 0xFFFF
            if kind == USER_LOGGING and body.startswith(BARRIER):
                self.reached = int(body[len(BARRIER):-1])
            else:
                self.records.append((adapter, kind, (time - EPOCH) / 1000, body))
        self.position += at

    def everything(self):
        """Adapter's number, type, time (ms since 1970) and bytes of every record up to now."""
        self.synchronize()
        return list(self.records)

    def packets(self, adapter):
        """Type, time and bytes of every HCI packet to and from the adapter up to now."""
        wanted = int(adapter.name.removeprefix("hci"))
        return [(kind, time, body) for index, kind, time, body in self.everything()
                if index == wanted]

    def commands(self, adapter):
        """The HCI commands sent to the adapter up to now, each with its answer."""
        sent, waiting = [], {}
        for kind, at, body in self.packets(adapter):
            if kind == COMMAND and len(body) >= 3:
                command = Command(*struct.unpack("<H", body[:2]), body[3:], at)
                sent.append(command)
                waiting.setdefault(command.opcode, []).append(command)
            elif kind == EVENT and len(body) >= 6 and body[0] in (COMMAND_COMPLETE, COMMAND_STATUS):
                # Command Complete: length, credits, opcode, status; Command Status: length, status, credits, opcode.
                complete = body[0] == COMMAND_COMPLETE
                [opcode] = struct.unpack("<H", body[3:5] if complete else body[4:6])
                status = body[5] if complete else body[2]
                if waiting.get(opcode) and (complete or status):
                    waiting[opcode].pop(0).answer(status, at)
        return sent


class Command:
    """An HCI command to an adapter: when it was sent (ms since 1970), its status, and when it was answered."""

    def __init__(self, opcode, parameters, at):
        self.opcode, self.parameters, self.at = opcode, parameters, at
        self.status, self.answered = None, None

    def answer(self, status, at):
        self.status, self.answered = status, at

    def __repr__(self):
        return f"{self.opcode:04x}({self.parameters.hex(' ')})={self.status}"

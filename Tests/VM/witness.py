"""btmon as a witness of what the scenarios' agents tell their adapters."""

import os
import struct

from guest import TEMP, Program, wait_for

YEAR_1970 = 0x00DCDDB30F2F8000  # btsnoop counts microseconds since the year 0


class Witness(Program):
    """btmon: what really goes over the wire between the kernel and its adapters."""

    def __init__(self):
        self.capture = f"{TEMP}/{Program.count + 1:02}.btsnoop"
        super().__init__("btmon", "-w", self.capture)
        wait_for(lambda: os.path.exists(self.capture) and os.path.getsize(self.capture) > 16,
                 "btmon")

    def everything(self):
        """Adapter's number, kind, time in ms and bytes of all that the kernel's monitor has told since the start."""
        with open(self.capture, "rb") as file:
            data = file.read()
        at = 16
        while at + 24 <= len(data):
            size, flags, time = struct.unpack(">4xII4xq", data[at:at + 24])
            body = data[at + 24:at + 24 + size]
            # In the monitor's format, the flags are the adapter and the kind.
            if len(body) == size:
                yield flags >> 16, flags & 0xFFFF, (time - YEAR_1970) / 1000, body
            at += 24 + size

    def packets(self, adapter):
        """Kind, time and bytes of every HCI packet to and from the adapter since the start."""
        wanted = int(adapter.name.removeprefix("hci"))
        for index, kind, time, body in self.everything():
            if index == wanted:
                yield kind, time, body

    def commands(self, adapter):
        """The HCI commands sent to the adapter since the start, each with its answer."""
        sent, waiting = [], {}
        for kind, at, body in self.packets(adapter):
            if kind == 2 and len(body) >= 3:
                command = Command(*struct.unpack("<H", body[:2]), body[3:], at)
                sent.append(command)
                waiting.setdefault(command.opcode, []).append(command)
            elif kind == 3 and len(body) >= 6 and body[0] in (0x0E, 0x0F):
                # Command Complete: length, credits, opcode, status; Command Status: length, status, credits, opcode.
                complete = body[0] == 0x0E
                [opcode] = struct.unpack("<H", body[3:5] if complete else body[4:6])
                status = body[5] if complete else body[2]
                if waiting.get(opcode) and (complete or status):
                    waiting[opcode].pop(0).answer(status, at)
        return sent


class Command:
    """An HCI command on its way to an adapter: when, in ms since 1970, and what came of it."""

    def __init__(self, opcode, parameters, at):
        self.opcode, self.parameters, self.at = opcode, parameters, at
        self.status, self.answered = None, None

    def answer(self, status, at):
        self.status, self.answered = status, at

    def __repr__(self):
        return f"{self.opcode:04x}({self.parameters.hex(' ')})={self.status}"

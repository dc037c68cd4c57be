"""A virtual controller on a cable to /dev/vhci: it can be pulled and plugged in again, and cut for a while, while the
controller and its world go on."""

import contextlib
import json
import os
import select
import socket
import threading
import time

import guest
from guest import Adapter, Program, expect

HARDWARE_ERROR = bytes([0x04, 0x10, 0x01, 0x42])
CREATE = bytes([0xFF, 0x00])  # vhci's own packets begin with ff (drivers/bluetooth/hci_vhci.c)


class Cable(Program):
    """The controller, and between it and the kernel: this program."""

    def __init__(self, address, family="legacy", gateway="shelf"):
        self.place = f"{guest.STATE}/{address.replace(':', '')}"
        os.makedirs(guest.STATE, exist_ok=True)
        super().__init__(
            f"{guest.BIN}/virtual-radio", "--scenario", guest.SCENARIO, "--gateway", gateway,
            "--listen", f"unix:{self.place}", "--family", family, "--address", address,
            "--tally", f"{self.place}.tally")
        self.until(lambda: self.says("listening"), "the virtual radio")
        self.carrier, self.stalled_until = None, 0
        self.plug()

    def __exit__(self, *_):
        if self.carrier:
            self.unplug()
        self.end()

    def plug(self):
        """The kernel gets an adapter, which it may give another number than the last time."""
        self.stream = socket.socket(socket.AF_UNIX)
        self.stream.connect(self.place)
        self.device = os.open("/dev/vhci", os.O_RDWR | os.O_CLOEXEC)
        os.write(self.device, CREATE)
        reply = os.read(self.device, 64)
        expect(reply[:2] == CREATE, f"vhci says {reply.hex()}")
        self.adapter = Adapter(f"hci{int.from_bytes(reply[2:4], 'little')}")
        self.wake, self.pulled = os.pipe()
        self.carrier = threading.Thread(target=self.carry)
        self.carrier.start()

    def unplug(self):
        os.close(self.pulled)
        self.carrier.join()
        self.carrier = None
        os.close(self.wake)
        os.close(self.device)
        self.stream.close()

    def stall(self, seconds):
        """What is said meanwhile by the controller is lost; what it is told, it does later."""
        self.stalled_until = time.monotonic() + seconds

    def fail(self):
        os.write(self.device, HARDWARE_ERROR)

    def carry(self):
        held, rest = [], b""
        while True:
            ready, _, _ = select.select([self.wake, self.device, self.stream], [], [], 0.05)
            if self.wake in ready:
                return
            is_stalled = time.monotonic() < self.stalled_until
            if self.device in ready:
                held.append(os.read(self.device, 4096))
            while held and not is_stalled:
                self.stream.sendall(held.pop(0))
            if self.stream in ready:
                rest += self.stream.recv(65536)
            # Events: type, code, length, parameters.
            while len(rest) >= 3 and len(rest) >= 3 + rest[2]:
                packet, rest = rest[:3 + rest[2]], rest[3 + rest[2]:]
                if not is_stalled:
                    # An adapter that is down takes nothing.
                    with contextlib.suppress(OSError):
                        os.write(self.device, packet)


def tally(path):
    """What a virtual radio that has ended says it has told its host, by identity."""
    with open(path) as file:
        rows = json.load(file)["identities"]
    return {(r["uuid"], r["major"], r["minor"]): r["delivered"] for r in rows if r["delivered"]}

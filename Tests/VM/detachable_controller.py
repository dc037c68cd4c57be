"""A virtual controller that can be slow, detached from /dev/vhci, attached again and stalled, while its radio continues."""

import contextlib
import os
import random
import select
import socket
import threading
import time

import guest
from guest import Adapter, Program, expect

HARDWARE_ERROR = bytes([0x04, 0x10, 0x01, 0x42])
CREATE = bytes([0xFF, 0x00])  # vhci's own packets begin with ff (drivers/bluetooth/hci_vhci.c)


class DetachableController(Program):
    """A virtual radio, and a thread that forwards its packets to and from the kernel.

    The controller receives each command after a random time of up to `latency` seconds, as on a slow serial line."""

    def __init__(self, address, family="legacy", gateway="shelf", latency=0):
        self.latency, self.chance = latency, random.Random(guest.SEED)
        self.place = f"{guest.STATE}/{address.replace(':', '')}"
        os.makedirs(guest.STATE, exist_ok=True)
        super().__init__(
            f"{guest.BIN}/virtual-radio", "--scenario", guest.SCENARIO, "--gateway", gateway,
            "--listen", f"unix:{self.place}", "--family", family, "--address", address)
        self.until(lambda: self.says("listening"), "the virtual radio")
        self.forwarder, self.stalled_until = None, 0
        self.attach()

    def __exit__(self, *_):
        if self.forwarder:
            self.detach()
        self.end()

    def attach(self):
        """Creates an adapter, which may get another number than before."""
        self.stream = socket.socket(socket.AF_UNIX)
        self.stream.connect(self.place)
        self.device = os.open("/dev/vhci", os.O_RDWR | os.O_CLOEXEC)
        os.write(self.device, CREATE)
        reply = os.read(self.device, 64)
        expect(reply[:2] == CREATE, f"vhci replies {reply.hex()}")
        self.adapter = Adapter(f"hci{int.from_bytes(reply[2:4], 'little')}")
        self.wake, self.detached = os.pipe()
        self.forwarder = threading.Thread(target=self.forward)
        self.forwarder.start()

    def detach(self):
        os.close(self.detached)
        self.forwarder.join()
        self.forwarder = None
        os.close(self.wake)
        os.close(self.device)
        self.stream.close()

    def stall(self, seconds):
        """Drops the controller's events for some seconds, and delays the commands to it until then."""
        self.stalled_until = time.monotonic() + seconds

    def send_hardware_error(self):
        os.write(self.device, HARDWARE_ERROR)

    def forward(self):
        held, rest = [], b""
        while True:
            ready, _, _ = select.select([self.wake, self.device, self.stream], [], [], 0.001 if held and self.latency else 0.05)
            if self.wake in ready:
                return
            is_stalled = time.monotonic() < self.stalled_until
            if self.device in ready:
                due = time.monotonic() + self.chance.uniform(0, self.latency)
                held.append((due, os.read(self.device, 4096)))
            while held and not is_stalled and held[0][0] <= time.monotonic():
                self.stream.sendall(held.pop(0)[1])
            if self.stream in ready:
                rest += self.stream.recv(65536)
            # Events: type, code, length, parameters.
            while len(rest) >= 3 and len(rest) >= 3 + rest[2]:
                packet, rest = rest[:3 + rest[2]], rest[3 + rest[2]:]
                if not is_stalled:
                    # An adapter that is down accepts no events.
                    with contextlib.suppress(OSError):
                        os.write(self.device, packet)

"""The kernel's management interface (bluez, doc/mgmt-api.txt), through which bluetoothd starts and ends discoveries."""

import select
import socket
import struct
import time

from guest import LIMIT, Failed, expect, wait_for
from hci_channel import HCI_CHANNEL_CONTROL, open_channel

HEADER = struct.Struct("<HHH")  # code, adapter, length
SO_TIMESTAMP, TIME = 29, struct.Struct("@ll")  # include/uapi/asm-generic/socket.h; struct timeval
START_DISCOVERY, STOP_DISCOVERY, ADD_DEVICE = 0x0023, 0x0024, 0x0033
ADD_ADVERTISING, REMOVE_ADVERTISING = 0x003E, 0x003F
COMMAND_COMPLETE, COMMAND_STATUS, DISCOVERING = 0x0001, 0x0002, 0x0013
LE_ADDRESSES = bytes([0x06])  # public and random
SUCCESS, BUSY = 0x00, 0x0A


class Management:
    """A client of the management interface for one adapter, as bluetoothd is."""

    def __init__(self, adapter):
        self.index = int(adapter.name.removeprefix("hci"))
        # When the kernel reported the start (True) or the end (False) of a discovery, by its own clock (ms since 1970).
        self.discovering = []

    def __enter__(self):
        control = open_channel(HCI_CHANNEL_CONTROL)
        control.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMP, 1)
        # Debian's Python does not support the messages of this family.
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_RAW, fileno=control.detach())
        return self

    def __exit__(self, *_):
        self.socket.close()

    def start_discovery(self):
        """Starts a discovery of LE devices; the management interface's status."""
        return self.request(START_DISCOVERY, LE_ADDRESSES)

    def stop_discovery(self):
        return self.request(STOP_DISCOVERY, LE_ADDRESSES)

    def add_advertising(self, instance, data):
        """Advertises the data, neither connectable nor scannable."""
        parameters = struct.pack("<BLHHBB", instance, 0, 0, 0, len(data), 0) + data
        status = self.request(ADD_ADVERTISING, parameters)
        expect(status == SUCCESS, f"Add Advertising ends with status {status:02x}")

    def remove_advertising(self, instance):
        status = self.request(REMOVE_ADVERTISING, bytes([instance]))
        expect(status == SUCCESS, f"Remove Advertising ends with status {status:02x}")

    def add_device(self, address):
        """Has the kernel report advertisements of an LE device with a public address: it scans passively for it."""
        number = bytes.fromhex(address.replace(":", ""))[::-1]
        status = self.request(ADD_DEVICE, number + bytes([0x01, 0x00]))
        expect(status == SUCCESS, f"Add Device ends with status {status:02x}")

    def request(self, command, parameters):
        self.socket.send(HEADER.pack(command, self.index, len(parameters)) + parameters)
        deadline = time.monotonic() + LIMIT
        while time.monotonic() < deadline:
            answered = self.read(0.05, command)
            if answered is not None:
                return answered
        raise Failed(f"no answer to management command {command:04x}")

    def read(self, seconds, command=None):
        """Reads events for so long, or until the answer to the command, whose status it returns."""
        deadline = time.monotonic() + seconds
        while select.select([self.socket], [], [], max(0, deadline - time.monotonic()))[0]:
            packet, [(_, _, stamp)], _, _ = self.socket.recvmsg(4096, 64)
            seconds, microseconds = TIME.unpack_from(stamp)
            code, index, _ = HEADER.unpack_from(packet)
            body = packet[HEADER.size:]
            if index != self.index:
                continue
            if code == DISCOVERING:
                self.discovering.append((seconds * 1000 + microseconds / 1000, body[1] == 1))
            elif code in (COMMAND_COMPLETE, COMMAND_STATUS) and body[:2] == struct.pack("<H", command or 0):
                return body[2]
        return None

    def is_discovering(self):
        self.read(0)
        return bool(self.discovering) and self.discovering[-1][1]

    def discover(self, may_fail=lambda: False):
        """Starts a discovery, and waits until the kernel reports it. Tries again if the controller refuses a command and it
        `may_fail`."""
        def is_started():
            status = self.start_discovery()
            expect(status == SUCCESS or (status == BUSY and may_fail()),
                   f"Start Discovery ends with status {status:02x}")
            return status == SUCCESS

        wait_for(is_started, "a discovery that starts")
        wait_for(self.is_discovering, "the start of the discovery")

    def end_discovery(self):
        status = self.stop_discovery()
        expect(status == SUCCESS, f"Stop Discovery ends with status {status:02x}")
        wait_for(lambda: not self.is_discovering(), "the end of the discovery")

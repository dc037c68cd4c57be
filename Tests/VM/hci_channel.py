"""Sockets of the kernel's HCI family on channels without an adapter, which Debian's Python can't bind."""

import ctypes
import os
import socket
import struct

# Linux: include/net/bluetooth/hci_sock.h. Some Python versions lack these constants.
AF_BLUETOOTH, BTPROTO_HCI = 31, 1
HCI_DEV_NONE, HCI_CHANNEL_CONTROL, HCI_CHANNEL_LOGGING = 0xFFFF, 3, 4


def open_channel(channel):
    opened = socket.socket(AF_BLUETOOTH, socket.SOCK_RAW, BTPROTO_HCI)
    address = struct.pack("=HHH", AF_BLUETOOTH, HCI_DEV_NONE, channel)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.bind(opened.fileno(), address, len(address)) != 0:
        raise OSError(ctypes.get_errno(), f"bind to HCI channel {channel}")
    return opened

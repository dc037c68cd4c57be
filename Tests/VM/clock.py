"""The guest's clock: sets it, and marks it as synchronised or unsynchronised."""

import ctypes
import os
import time

ADJ_MAXERROR, ADJ_ESTERROR, ADJ_STATUS = 0x04, 0x08, 0x10
STA_UNSYNC = 0x40
GOOD, BAD = 1000, 16_000_000  # maximum error in µs, with NTP and without
LIBC = ctypes.CDLL(None, use_errno=True)


class Timex(ctypes.Structure):
    """The first members of struct timex (adjtimex(2))."""

    _fields_ = [("modes", ctypes.c_uint), ("offset", ctypes.c_long), ("freq", ctypes.c_long),
                ("maxerror", ctypes.c_long), ("esterror", ctypes.c_long), ("status", ctypes.c_int),
                ("rest", ctypes.c_long * 30)]


def adjust(maxerror, status):
    state = Timex(modes=ADJ_MAXERROR | ADJ_ESTERROR | ADJ_STATUS, maxerror=maxerror,
                  esterror=maxerror, status=status)
    if LIBC.adjtimex(ctypes.byref(state)) == -1:
        raise OSError(ctypes.get_errno(), "adjtimex")


def discipline():
    """Marks the clock as synchronised."""
    adjust(GOOD, 0)


def neglect():
    """Marks the clock as unsynchronised."""
    adjust(BAD, STA_UNSYNC)


def step(hours):
    """Sets the clock; the kernel then marks it as unsynchronised."""
    time.clock_settime(time.CLOCK_REALTIME, time.time() + hours * 3600)


def boot():
    """The time since boot, in ms."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) * 1000

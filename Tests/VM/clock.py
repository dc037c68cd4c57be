"""The guest's clocks: set by hours, disciplined and left alone, as a time service does it or fails to."""

import ctypes
import os
import time

ADJ_MAXERROR, ADJ_ESTERROR, ADJ_STATUS = 0x04, 0x08, 0x10
STA_UNSYNC = 0x40
GOOD, BAD = 1000, 16_000_000  # maximum error in µs: of a clock under NTP, and of one that nobody disciplines
LIBC = ctypes.CDLL(None, use_errno=True)


class Timex(ctypes.Structure):
    """struct timex, as far as it matters here (adjtimex(2))."""

    _fields_ = [("modes", ctypes.c_uint), ("offset", ctypes.c_long), ("freq", ctypes.c_long),
                ("maxerror", ctypes.c_long), ("esterror", ctypes.c_long), ("status", ctypes.c_int),
                ("rest", ctypes.c_long * 30)]


def adjust(maxerror, status):
    state = Timex(modes=ADJ_MAXERROR | ADJ_ESTERROR | ADJ_STATUS, maxerror=maxerror,
                  esterror=maxerror, status=status)
    if LIBC.adjtimex(ctypes.byref(state)) == -1:
        raise OSError(ctypes.get_errno(), "adjtimex")


def discipline():
    """From now on the clock is known to be good."""
    adjust(GOOD, 0)


def neglect():
    """From now on nobody knows how wrong it is."""
    adjust(BAD, STA_UNSYNC)


def step(hours):
    """Sets the clock; the kernel then takes it for neglected."""
    time.clock_settime(time.CLOCK_REALTIME, time.time() + hours * 3600)


def boot():
    """The clock that nobody sets, in ms."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) * 1000

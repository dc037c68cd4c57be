"""Processor time of running programs."""

import statistics
import time


def processor_seconds(pid):
    """The processor time of a running program, to the nanosecond (clock_getcpuclockid(3))."""
    return time.clock_gettime(~pid << 3 | 2)


def per_second(measures, slices, seconds):
    """The increase of each measure a second: the median of several slices of time."""
    turns = []
    for _ in range(slices):
        begun, before = time.monotonic(), [measure() for measure in measures]
        time.sleep(seconds)
        elapsed = time.monotonic() - begun
        turns.append([(measure() - b) / elapsed for measure, b in zip(measures, before)])
    return [statistics.median(turn) for turn in zip(*turns)]

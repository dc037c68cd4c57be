"""Processor time and wake-ups of running programs."""

import os
import re
import statistics
import time


def processor_seconds(pid):
    """The processor time of a running program, to the nanosecond (clock_getcpuclockid(3))."""
    return time.clock_gettime(~pid << 3 | 2)


def processes_of(pid):
    """The process and its children: agent and server have one for the broker."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [pid, *map(int, file.read().split())]


def processor_of_all(pid):
    """The processor time of a program and of its running children."""
    return sum(map(processor_seconds, processes_of(pid)))


def wakeups(pid):
    """The voluntary context switches of all threads of all processes."""
    count = 0
    for process in processes_of(pid):
        for thread in os.listdir(f"/proc/{process}/task"):
            with open(f"/proc/{process}/task/{thread}/status", encoding="ascii") as file:
                count += int(re.search(r"\nvoluntary_ctxt_switches:\s+(\d+)", file.read())[1])
    return count


def per_second(measures, slices, seconds):
    """The increase of each measure a second: the median of several slices of time."""
    turns = []
    for _ in range(slices):
        begun, before = time.monotonic(), [measure() for measure in measures]
        time.sleep(seconds)
        elapsed = time.monotonic() - begun
        turns.append([(measure() - b) / elapsed for measure, b in zip(measures, before)])
    return [statistics.median(turn) for turn in zip(*turns)]

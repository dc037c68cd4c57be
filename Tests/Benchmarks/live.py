"""An agent on a real HCI path, H4 over a socket, connected to a mosquitto."""

import statistics
import time

from figures import Row
from processor import per_second, processor_of_all, processor_seconds, wakeups
from rig import Rig, memory, reader

RATES = [100, 1000, 2000]
STARTS = 11
BEACONS = 200


def live():
    """Processor time at a steady rate of reports, beside a program that only reads them."""
    yield from reading()
    for rate in RATES:
        with Rig(rate, rate // 10) as rig, reader(rate, rate // 10) as other:
            rig.wait_for_messages(3)
            ours, theirs = per_second(
                [lambda: processor_of_all(rig.pid), lambda: processor_seconds(other)], 5, 4)
        share = ours - theirs
        yield Row(f"processor at {rate:,} reports/s", f"{ours:.2%} of a core",
                  "< 1 % beyond it" if rate == max(RATES) else "", f"{theirs:.2%} of a core",
                  f"+{share:.2%}", share < 0.01 if rate == max(RATES) else None)
        yield Row("  for 1,000 reports", f"{ours / rate * 1e6:.1f} ms", "", f"{theirs / rate * 1e6:.1f} ms",
                  f"+{share / rate * 1e6:.1f} ms")


def reading():
    """The part of a wake-up: processor time within a window of ten minutes, of which nothing is published."""
    for rate in RATES:
        with Rig(rate, rate // 10, windowMs=600_000) as rig, reader(rate, rate // 10) as other:
            rig.wait_for_scan()
            time.sleep(2)
            ours, theirs, woken = per_second(
                [lambda: processor_seconds(rig.pid), lambda: processor_seconds(other), lambda: wakeups(rig.pid)],
                5, 4)
        few = rate < max(RATES)
        yield Row(f"of it without publishing, {rate:,} reports/s", f"{ours:.2%} of a core",
                  "2 ×" if few else "", f"{theirs:.2%} of a core", f"{ours / theirs:.1f} ×",
                  ours <= 2 * theirs if few else None)
        yield Row("  wake-ups a second", f"{woken:.0f}")


def handover():
    """Time from a window's end to the broker: ten windows a second, with 200 beacons each."""
    with Rig(2000, BEACONS, windowMs=100) as rig:
        rig.wait_for_messages(300)
        messages = rig.tap.sightings()[20:]
    late = sorted(m.at - m.json["window"]["end"] / 1000 for m in messages)
    for share in (50, 99):
        value = late[len(late) * share // 100] * 1000
        yield Row(f"window's end to broker, p{share}", f"{value:.1f} ms",
                  "< 20 ms" if share == 99 else "", kept=value < 20 if share == 99 else None)


def start():
    """Time from the program's start to its first scan command."""
    times = []
    for _ in range(STARTS):
        with Rig(0, 0) as rig:
            times.append((rig.radio.scan_began() - rig.begun) * 1000)
    median = statistics.median(times)
    yield Row("start to scan", f"{median:.0f} ms", "< 100 ms", kept=median < 100)


def idle():
    """An agent without reports, connected to its broker."""
    with Rig(0, 0) as rig:
        rig.wait_for_messages(1)
        woken, spent = per_second(
            [lambda: wakeups(rig.pid), lambda: processor_of_all(rig.pid)], 3, 5)
    yield Row("idle, wake-ups a second", f"{woken:.1f}")
    yield Row("idle, processor", f"{spent:.3%} of a core")


def size():
    """Memory, and bytes to the broker, with 200 beacons and MQTT connected."""
    with Rig(2000, BEACONS) as rig:
        rig.wait_for_messages(3)
        begun, sent = len(rig.tap.sightings()), rig.tap.sent
        rig.wait_for_messages(begun + 8)
        kibibytes = memory(rig.pid)
        messages = rig.tap.sightings()[begun:]
        sent = rig.tap.sent - sent
    # The two processes share the pages of the program and its libraries; the proportional size counts each page once.
    resident = kibibytes["Pss"] / 1024
    private = (kibibytes["Private_Clean"] + kibibytes["Private_Dirty"]) / 1024
    yield Row("resident memory, 200 beacons", f"{resident:.1f} MiB", "< 16 MiB", kept=resident < 16)
    yield Row("  private", f"{private:.1f} MiB")
    yield Row("  anonymous", f"{kibibytes['Anonymous'] / 1024:.1f} MiB")
    sightings = sum(len(message.json["sightings"]) for message in messages)
    yield Row("MQTT bytes for a sighting", f"{sent / sightings:.0f} B")

"""Outages that exceed the outbox's capacity."""

import time

import processes
from processes import expect
from testbed import Results, Testbed
from checks import check_exact, expect_sound
from lateness import Lateness

# One message a window: a window is lost completely or not at all.
WHOLE = {"maxSightingsPerMessage": 2000}


def long_outage(options):
    """outage too long for the room there is, so that windows are merged"""
    results = Results(long_outage)
    with Testbed() as testbed:
        gateway = testbed.gateway(WHOLE, {"maxBytes": 65536}, beacons=60)
        gateway.start()
        for _ in range(5 if options.soak else 1):
            outage(testbed, gateway, results, 25)
        gateway.drain()
        for gateway, received in testbed.received(results):
            check_exact(gateway, received)
    expect(results.merged > 50, f"only {results.merged} messages were merged")
    expect(not results.lost, f"{results.lost} batches were lost")
    return results


def longer_outage(options):
    """outage too long for even that, so that the oldest windows are dropped"""
    results = Results(longer_outage)
    with Testbed() as testbed, Lateness() as lateness:
        gateway = testbed.gateway(
            {"windowMs": 500, **WHOLE}, {"maxBytes": 65536, "backlogPerSecond": 100}, beacons=1600)
        gateway.start()
        for _ in range(5 if options.soak else 1):
            outage(testbed, gateway, results, 8)
        gateway.drain()
        for gateway, received in testbed.received(results):
            expect_sound(received)
            check_gaps(gateway, received, lateness.most / 1000)
    expect(results.lost > 5, f"only {results.lost} batches were lost")
    return results


def outage(testbed, gateway, results, seconds):
    testbed.live_after(gateway, processes.now())
    gateway.proxy.shut()
    time.sleep(seconds)
    gateway.proxy.open()
    results.fault()
    begun = processes.now()
    results.recovered(testbed.live_after(gateway, begun), begun)


def check_gaps(gateway, received, late):
    """The missing reports are as many as the beacons send in the windows that are declared lost. Reports may be `late`
    (seconds)."""
    session, = received.sessions.values()
    gaps = [after.start - before.end
            for before, after in zip(session.messages, session.messages[1:])
            if after.low > before.high + 1]
    if session.messages[0].low > 0:
        gaps.append(session.messages[0].start - gateway.runs[0].begun)
    time_lost = sum(gaps) / 1000
    counted = received.counts()
    for name, delivered in gateway.radio.total.items():
        missing = delivered - counted[name]
        # One report every 100 to 110 ms, and some more or fewer at the two ends of a gap.
        edges = 2 * (1 + late / 0.1) * len(gaps)
        least, most = time_lost / 0.11 - edges, time_lost / 0.1 + edges
        expect(least <= missing <= most,
               f"{missing} of {name} are missing, and {time_lost} s in {len(gaps)} gaps are lost")


SCENARIOS = [long_outage, longer_outage]

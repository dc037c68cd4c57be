"""Outages that are too long for what there is room for."""

import time

import bench
from bench import expect
from stage import Figures, Stage
from truth import check_exact, expect_sound

# A message of all that is heard: a window is lost as a whole, or not at all.
WHOLE = {"maxSightingsPerMessage": 2000}


def long_outage(options):
    """outage too long for the room there is, so that windows are merged"""
    figures = Figures(long_outage)
    with Stage() as stage:
        gateway = stage.gateway(WHOLE, {"maxBytes": 65536}, beacons=60)
        gateway.start()
        for _ in range(5 if options.soak else 1):
            outage(stage, gateway, figures, 25)
        gateway.drain(90)
        for gateway, account in stage.accounts(figures):
            check_exact(gateway, account)
    expect(figures.merged > 50, f"only {figures.merged} messages were merged")
    expect(not figures.lost, f"{figures.lost} batches were lost")
    return figures


def longer_outage(options):
    """outage too long for even that, so that the oldest windows are dropped"""
    figures = Figures(longer_outage)
    with Stage() as stage:
        gateway = stage.gateway(
            {"windowMs": 500, **WHOLE}, {"maxBytes": 65536, "backlogPerSecond": 100}, beacons=1600)
        gateway.start()
        for _ in range(5 if options.soak else 1):
            outage(stage, gateway, figures, 8)
        gateway.drain(90)
        for gateway, account in stage.accounts(figures):
            expect_sound(account)
            check_gaps(gateway, account)
    expect(figures.lost > 5, f"only {figures.lost} batches were lost")
    return figures


def outage(stage, gateway, figures, seconds):
    stage.live_after(gateway, bench.now())
    gateway.relay.shut()
    time.sleep(seconds)
    gateway.relay.open()
    figures.fault()
    begun = bench.now()
    figures.recovered(stage.live_after(gateway, begun), begun)


def check_gaps(gateway, account):
    """What is not counted was heard in the windows that are declared lost: as much as is sent in that time."""
    session, = account.sessions.values()
    gaps = [after.start - before.end
            for before, after in zip(session.messages, session.messages[1:])
            if after.low > before.high + 1]
    if session.messages[0].low > 0:
        gaps.append(session.messages[0].start - gateway.runs[0].begun)
    time_lost = sum(gaps) / 1000
    counted = account.counts()
    for name, delivered in gateway.radio.total.items():
        missing = delivered - counted[name]
        # Every 100 to 110 ms; a window's ends fall where they fall.
        least, most = time_lost / 0.11 - 2 * len(gaps), time_lost / 0.1 + 2 * len(gaps)
        expect(least <= missing <= most,
               f"{missing} of {name} are missing, and {time_lost} s in {len(gaps)} gaps are lost")


SCENARIOS = [long_outage, longer_outage]

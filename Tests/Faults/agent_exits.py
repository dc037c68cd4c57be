"""Exits of the agent: SIGKILL and SIGTERM at random times."""

import random
import time

from testbed import Results, Testbed
from checks import check_exact, check_killed, check_runs

# The time of a loaded machine from a batch's due time in the outbox to the end of the commit, in ms.
SLACK = 400


def kill_nine(options):
    """`kill -9` of the agent at random moments, also while the broker is away"""
    results = Results(kill_nine)
    with Testbed() as testbed:
        for window, spill in [(100, 200), (200, 200), (100, 0), (200, 500)]:
            testbed.gateway({"windowMs": window}, {"spillAfterMs": spill})
        kills = (2000 if options.soak else 200) // len(testbed.gateways)

        def inject_faults(gateway):
            chance = random.Random(f"{options.seed} {gateway.outbox} {gateway.window}")
            for _ in range(kills):
                begun = gateway.start()
                for _ in range(2):
                    time.sleep(chance.uniform(0, 0.8))
                    if chance.random() < 0.35:
                        gateway.proxy.hold() if chance.random() < 0.5 else gateway.proxy.open()
                if not gateway.proxy.held:
                    results.recovered(testbed.live_after(gateway, begun), begun)
                gateway.kill()
            gateway.drain()

        testbed.in_parallel(inject_faults)
        most = 0
        for gateway, received in testbed.received(results):
            most = max(most, check_killed(gateway, received, SLACK) - gateway.outbox["spillAfterMs"])
            results.faults += kills
        results.note = f"; at most {most:.0f} ms + spillAfterMs missing"
    return results


def clean_stops(options):
    """clean stop and start, most of them while the broker is away"""
    results = Results(clean_stops)
    stops = 200 if options.soak else 20
    # The agent ends while the radio is silent, so that the expected counts are exact.
    cycle, length = 2.5, 1.5
    quiet = [(1 + cycle * index, length) for index in range(12 * stops)]
    with Testbed() as testbed:
        for spill in (200, 0, 1000):
            testbed.gateway(outbox={"spillAfterMs": spill}, quiet=quiet)

        def wait_for_silence(radio):
            """Waits for the middle of a silent period. A busy machine may oversleep it."""
            while not 0.4 < (phase := (time.monotonic() - radio.begun - 1) % cycle / length) < 0.6:
                time.sleep((length / 2 - phase * length) % cycle)

        def inject_faults(gateway):
            chance = random.Random(f"{options.seed} {gateway.outbox}")
            for _ in range(stops):
                begun = gateway.start()
                chance.choice([gateway.proxy.shut, gateway.proxy.shut, gateway.proxy.open])()
                if gateway.proxy.listener:
                    results.recovered(testbed.live_after(gateway, begun), begun)
                time.sleep(0.5)
                wait_for_silence(gateway.radio)
                if chance.random() < 0.1:
                    # An outage that the agent has not detected: its last messages stay unacknowledged.
                    gateway.proxy.hold()
                gateway.stop()
            gateway.drain()

        testbed.in_parallel(inject_faults)
        for gateway, received in testbed.received(results):
            check_exact(gateway, received)
            check_runs(gateway, received)
            results.faults += stops
    return results


SCENARIOS = [kill_nine, clean_stops]

"""Exits of the agent: SIGKILL and SIGTERM at random times."""

import random
import time

import processes
from processes import INTERVAL
from testbed import Results, Testbed
from checks import check_killed, check_runs, expect_sound
from lateness import Lateness

# The time of a loaded machine from a batch's due time in the outbox to the end of the commit, in ms. The first commit makes the
# file: some commits, each of which may be as late as a commit of the test.
SLACK = 400


def kill_nine(options):
    """`kill -9` of the agent at random moments, also while the broker is away"""
    results = Results(kill_nine)
    with Testbed() as testbed, Lateness(processes.TEMP) as lateness:
        for window, spill in [(100, 200), (200, 200), (100, 0), (200, 500)]:
            testbed.gateway({"windowMs": window}, {"spillAfterMs": spill})
        kills = (2000 if options.soak else 40) // len(testbed.gateways)

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
            slack = max(SLACK, 10 * lateness.most)
            most = max(most, check_killed(gateway, received, slack) - gateway.outbox["spillAfterMs"])
            results.faults += kills
        results.note = f"; at most {most:.0f} ms + spillAfterMs missing, the machine at most {lateness.most:.0f} ms late"
    return results


def clean_stops(options):
    """clean stop and start, most of them while the broker is away"""
    results = Results(clean_stops)
    stops = 200 if options.soak else 5
    # The agent ends while the radio is silent, so that the expected counts are exact.
    cycle, length = 2.5, 1.5
    quiet = [(1 + cycle * index, length) for index in range(12 * stops)]
    with Testbed() as testbed, Lateness() as lateness:
        for spill in (200, 0, 1000):
            testbed.gateway(outbox={"spillAfterMs": spill}, quiet=quiet)

        def wait_for_silence(radio):
            """Waits for the middle of a silent period, and returns its end. A busy machine may oversleep it."""
            while not 0.4 < (phase := (time.monotonic() - radio.begun - 1) % cycle / length) < 0.6:
                time.sleep((length / 2 - phase * length) % cycle)
            return time.monotonic() + (1 - phase) * length

        def inject_faults(gateway):
            chance = random.Random(f"{options.seed} {gateway.outbox}")
            for _ in range(stops):
                begun = gateway.start()
                chance.choice([gateway.proxy.shut, gateway.proxy.shut, gateway.proxy.open])()
                if gateway.proxy.listener:
                    results.recovered(testbed.live_after(gateway, begun), begun)
                time.sleep(0.5)
                silent = wait_for_silence(gateway.radio)
                if chance.random() < 0.1:
                    # An outage that the agent has not detected: its last messages stay unacknowledged.
                    gateway.proxy.hold()
                gateway.stop()
                # The radio began before the test knew it.
                over = time.monotonic() - silent + lateness.most / 1000
                gateway.runs[-1].unread = int(over / INTERVAL) + 2 if over > 0 else 0
            gateway.drain()

        testbed.in_parallel(inject_faults)
        for gateway, received in testbed.received(results):
            expect_sound(received)
            check_runs(gateway, received)
            results.faults += stops
    return results


SCENARIOS = [kill_nine, clean_stops]

"""The agent ends: with kill -9 at any moment, and in good order at any other."""

import random
import time

from stage import Figures, Stage
from truth import check_exact, check_killed, check_runs

# What a loaded machine takes from the moment when a batch should be stored to the end of the commit, in ms.
SLACK = 400


def kill_nine(options):
    """`kill -9` of the agent at random moments, also while the broker is away"""
    figures = Figures(kill_nine)
    with Stage() as stage:
        for window, spill in [(100, 200), (200, 200), (100, 0), (200, 500)]:
            stage.gateway({"windowMs": window}, {"spillAfterMs": spill})
        kills = (2000 if options.soak else 200) // len(stage.gateways)

        def torment(gateway):
            chance = random.Random(f"{options.seed} {gateway.outbox} {gateway.window}")
            for _ in range(kills):
                begun = gateway.start()
                for _ in range(2):
                    time.sleep(chance.uniform(0, 0.8))
                    if chance.random() < 0.35:
                        gateway.relay.hold() if chance.random() < 0.5 else gateway.relay.open()
                if not gateway.relay.held:
                    figures.recovered(stage.live_after(gateway, begun), begun)
                gateway.kill()
            gateway.drain(120)

        stage.in_parallel(torment)
        most = 0
        for gateway, account in stage.accounts(figures):
            most = max(most, check_killed(gateway, account, SLACK) - gateway.outbox["spillAfterMs"])
            figures.faults += kills
        figures.note = f"; at most {most:.0f} ms + spillAfterMs missing"
    return figures


def clean_stops(options):
    """clean stop and start, most of them while the broker is away"""
    figures = Figures(clean_stops)
    stops = 200 if options.soak else 20
    # The agent ends while nothing is on the air: so what it has to have counted is known to the last report.
    cycle, length = 1.5, 0.5
    quiet = [(1 + cycle * index, length) for index in range(12 * stops)]
    with Stage() as stage:
        for spill in (200, 0, 1000):
            stage.gateway(outbox={"spillAfterMs": spill}, quiet=quiet)

        def torment(gateway):
            chance = random.Random(f"{options.seed} {gateway.outbox}")
            for _ in range(stops):
                begun = gateway.start()
                chance.choice([gateway.relay.shut, gateway.relay.shut, gateway.relay.open])()
                if gateway.relay.listener:
                    figures.recovered(stage.live_after(gateway, begun), begun)
                age = time.monotonic() - gateway.radio.begun
                wait = (1 + length / 2 - age) % cycle
                time.sleep(wait if wait > 0.5 else wait + cycle)
                if chance.random() < 0.1:
                    # An outage that nobody has noticed yet: the farewell waits in vain.
                    gateway.relay.hold()
                gateway.stop()
            gateway.drain(120)

        stage.in_parallel(torment)
        for gateway, account in stage.accounts(figures):
            check_exact(gateway, account)
            check_runs(gateway, account)
            figures.faults += stops
    return figures


SCENARIOS = [kill_nine, clean_stops]

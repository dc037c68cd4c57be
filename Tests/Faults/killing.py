"""The agent ends: with kill -9 at any moment, and in good order at any other."""

import random
import tempfile
import threading
import time

import bench
from bench import Broker, Figures, Gateway, account_of, expect
from mqtt import Subscriber
from truth import check_killed, check_exact, live_after

# What a loaded machine takes from the end of a wait to the end of the commit, in ms.
SLACK = 400


def kill_nine(options):
    """kill -9 at random moments, also while the broker is away"""
    figures = Figures(kill_nine.__doc__)
    folder = tempfile.mkdtemp(dir=bench.TEMP)
    broker = Broker(folder)
    subscriber = Subscriber(broker.port)
    gateways = [
        Gateway(broker, {"windowMs": window}, {"spillAfterMs": spill})
        for window, spill in [(100, 200), (200, 200), (100, 0), (200, 500)]
    ]
    kills = (2000 if options.soak else 200) // len(gateways)
    errors = []

    def torment(gateway, chance):
        try:
            for _ in range(kills):
                gateway.start()
                begun = bench.now()
                for _ in range(2):
                    time.sleep(chance.uniform(0, 0.8))
                    if chance.random() < 0.35:
                        gateway.relay.hold() if chance.random() < 0.5 else gateway.relay.open()
                if not gateway.relay.held:
                    seen = live_after(subscriber, gateway, begun)
                    figures.recovered((seen.at * 1000 - begun) / 1000)
                gateway.kill()
            gateway.drain(90)
        except Exception as error:
            errors.append(error)

    threads = [
        threading.Thread(target=torment, args=(gateway, random.Random(f"{options.seed} {index}")))
        for index, gateway in enumerate(gateways)]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
        subscriber.barrier()
        for gateway in gateways:
            account = account_of(gateway, subscriber)
            check_killed(gateway, account, SLACK)
            figures.add(account)
            figures.faults += kills
    finally:
        for gateway in gateways:
            gateway.close()
        broker.end()
    return figures


SCENARIOS = [kill_nine]

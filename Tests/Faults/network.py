"""Faults of the broker and of the network to it."""

import random
import signal
import time

import processes
from mqtt import LIMIT
from processes import expect
from testbed import Results, Testbed
from checks import check_exact


def broker_killed(options):
    """broker killed with `kill -9` and restarted, with persistence and without"""
    results = Results(broker_killed)
    chance = random.Random(f"{options.seed} broker_killed")
    with Testbed() as testbed:
        for spill in (100, 0):
            testbed.gateway(outbox={"spillAfterMs": spill}).start()
        for round_ in range(60 if options.soak else 6):
            for gateway in testbed.gateways:
                testbed.live_after(gateway, processes.now())
            time.sleep(chance.uniform(0, 0.3))
            testbed.broker.kill()
            testbed.subscriber.wait_until_gone()
            # The subscriber must connect before the agents.
            for gateway in testbed.gateways:
                gateway.proxy.shut()
            time.sleep(chance.uniform(0.2, 2))
            testbed.broker.start(remembers=round_ % 2 == 0)
            testbed.subscriber.connect()
            reopen(testbed, results)
        finish(testbed, results)
    return results


def broker_stopped(options):
    """broker stopped (SIGSTOP) for up to twice the keep-alive, and continued"""
    results = Results(broker_stopped)
    with Testbed() as testbed:
        for spill in (100, 0):
            testbed.gateway(outbox={"spillAfterMs": spill}, mqtt={"keepAliveSeconds": 5}).start()
        for seconds in [0.5, 2, 10] * (10 if options.soak else 1):
            for gateway in testbed.gateways:
                testbed.live_after(gateway, processes.now())
            testbed.broker.program.send(signal.SIGSTOP)
            time.sleep(seconds)
            testbed.broker.program.send(signal.SIGCONT)
            reopen(testbed, results)
        finish(testbed, results)
    return results


def network_cut(options):
    """network cut: between packets, inside one, before an acknowledgement; and refused"""
    results = Results(network_cut)
    rounds = 25 if options.soak else 2
    with Testbed() as testbed:
        for spill in (100, 0, 2000):
            testbed.gateway(outbox={"spillAfterMs": spill})

        def inject_faults(gateway):
            chance = random.Random(f"{options.seed} {gateway.outbox}")
            gateway.start()
            for way in ["cut", "cut_inside_publish", "cut_before_puback", "shut"] * rounds:
                testbed.live_after(gateway, processes.now())
                time.sleep(chance.uniform(0, 0.2))
                getattr(gateway.proxy, way)()
                if way.startswith("cut_"):
                    expect(gateway.proxy.was_cut.wait(LIMIT), f"no message came to {way}")
                time.sleep(chance.uniform(0, 1))
                reopen(testbed, results, gateway)

        testbed.in_parallel(inject_faults)
        finish(testbed, results)
    # The batches whose acknowledgement was cut off arrive again.
    wanted = rounds * 3
    expect(results.duplicates >= wanted,
           f"{wanted} acknowledgements were lost, and {results.duplicates} messages repeated")
    return results


def network_slow(options):
    """network that delays everything, or passes nothing for a while and then all"""
    results = Results(network_slow)
    chance = random.Random(f"{options.seed} network_slow")
    with Testbed() as testbed:
        gateway = testbed.gateway()
        gateway.start()
        for _ in range(50 if options.soak else 5):
            testbed.live_after(gateway, processes.now())
            gateway.proxy.delay(chance.uniform(0.1, 1))
            time.sleep(chance.uniform(1, 2))
            reopen(testbed, results)
            testbed.live_after(gateway, processes.now())
            gateway.proxy.hold()
            time.sleep(chance.uniform(0.5, 3))
            reopen(testbed, results)
        finish(testbed, results)
    return results


def reopen(testbed, results, *gateways):
    """Ends the fault for all gateways or for the given ones, and records the recovery times."""
    begun = processes.now()
    results.fault()
    for gateway in gateways or testbed.gateways:
        gateway.proxy.open()
    for gateway in gateways or testbed.gateways:
        results.recovered(testbed.live_after(gateway, begun), begun)


def finish(testbed, results):
    """No report is missing, because the agents ran through all faults."""
    testbed.in_parallel(lambda gateway: gateway.drain())
    for gateway, received in testbed.received(results):
        check_exact(gateway, received)


SCENARIOS = [broker_killed, broker_stopped, network_cut, network_slow]

"""Faults of the broker and of the network to it."""

import json
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
        for round_ in range(60 if options.soak else 2):
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
        for seconds in [0.5, 2, 10] * 10 if options.soak else [10]:
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
    rounds = 25 if options.soak else 1
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


def acknowledgements_swallowed(options):
    """broker that answers pings, and swallows 20 acknowledgements"""
    results = Results(acknowledgements_swallowed)
    rounds = 10 if options.soak else 1
    with Testbed() as testbed:
        for spill in (100, 0):
            testbed.gateway(outbox={"spillAfterMs": spill}, mqtt={"keepAliveSeconds": 5}).start()
        for _ in range(rounds):
            for gateway in testbed.gateways:
                testbed.live_after(gateway, processes.now())
                # As many as the agent sends without an answer.
                gateway.proxy.swallow_pubacks(20)
            for gateway in testbed.gateways:
                expect(gateway.proxy.was_cut.wait(LIMIT), "the agent did not send 20 messages")
            reopen(testbed, results)
        finish(testbed, results)
    expect(results.duplicates >= 40 * rounds,
           f"{40 * rounds} acknowledgements were lost, and {results.duplicates} messages repeated")
    return results


def late_will(options):
    """late will of a half-open connection, which replaces the status"""
    results = Results(late_will)
    with Testbed() as testbed:
        gateway = testbed.gateway()
        gateway.start()
        for _ in range(50 if options.soak else 1):
            testbed.live_after(gateway, processes.now())
            begun = processes.now()
            gateway.proxy.late_will()
            will = status_after(testbed, gateway, "offline", begun)
            results.fault()
            results.recovered(status_after(testbed, gateway, "online", will.at * 1000), begun)
        finish(testbed, results)
    return results


def status_after(testbed, gateway, state, moment):
    """Waits for a status that arrives after `moment` (ms since 1970)."""
    name = f"sightline/v1/faults/{gateway.id}/status"
    return testbed.subscriber.wait(
        lambda seen: seen.topic == name and seen.at * 1000 >= moment
        and json.loads(seen.payload)["state"] == state, f"the status {state} of {gateway.id}")


def network_slow(options):
    """network that delays everything, or passes nothing for a while and then all"""
    results = Results(network_slow)
    chance = random.Random(f"{options.seed} network_slow")
    with Testbed() as testbed:
        gateway = testbed.gateway()
        gateway.start()
        for _ in range(50 if options.soak else 1):
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


SCENARIOS = [broker_killed, broker_stopped, network_cut, acknowledgements_swallowed, late_will,
             network_slow]

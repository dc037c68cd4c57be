"""The way to the subscriber breaks: the broker, and the network before it."""

import random
import signal
import time

import bench
from bench import expect
from stage import Figures, Stage
from truth import check_exact


def broker_killed(options):
    """broker killed with `kill -9` and restarted, with persistence and without"""
    figures = Figures(broker_killed)
    chance = random.Random(f"{options.seed} broker_killed")
    with Stage() as stage:
        for spill in (100, 0):
            stage.gateway(outbox={"spillAfterMs": spill}).start()
        for round_ in range(60 if options.soak else 6):
            for gateway in stage.gateways:
                stage.live_after(gateway, bench.now())
            time.sleep(chance.uniform(0, 0.3))
            stage.broker.kill()
            stage.subscriber.wait_until_gone()
            # Or the agents would be there before the subscriber.
            for gateway in stage.gateways:
                gateway.relay.shut()
            time.sleep(chance.uniform(0.2, 2))
            stage.broker.start(remembers=round_ % 2 == 0)
            stage.subscriber.connect()
            reopen(stage, figures)
        finish(stage, figures)
    return figures


def broker_stopped(options):
    """broker stopped (SIGSTOP) for up to twice the keep-alive, and continued"""
    figures = Figures(broker_stopped)
    with Stage() as stage:
        for spill in (100, 0):
            stage.gateway(outbox={"spillAfterMs": spill}, mqtt={"keepAliveSeconds": 5}).start()
        for seconds in [0.5, 2, 10] * (10 if options.soak else 1):
            for gateway in stage.gateways:
                stage.live_after(gateway, bench.now())
            stage.broker.program.send(signal.SIGSTOP)
            time.sleep(seconds)
            stage.broker.program.send(signal.SIGCONT)
            reopen(stage, figures)
        finish(stage, figures)
    return figures


def network_cut(options):
    """network cut: between packets, inside one, before an acknowledgement; and refused"""
    figures = Figures(network_cut)
    rounds = 25 if options.soak else 2
    with Stage() as stage:
        for spill in (100, 0, 2000):
            stage.gateway(outbox={"spillAfterMs": spill})

        def torment(gateway):
            chance = random.Random(f"{options.seed} {gateway.outbox}")
            gateway.start()
            for way in ["cut", "cut_inside_publish", "cut_before_puback", "shut"] * rounds:
                stage.live_after(gateway, bench.now())
                time.sleep(chance.uniform(0, 0.2))
                getattr(gateway.relay, way)()
                if way.startswith("cut_"):
                    expect(gateway.relay.sprung.wait(20), f"no message came to {way}")
                time.sleep(chance.uniform(0, 1))
                reopen(stage, figures, gateway)

        stage.in_parallel(torment)
        finish(stage, figures)
    # Of those that were acknowledged in vain.
    wanted = rounds * 3
    expect(figures.duplicates >= wanted,
           f"{wanted} acknowledgements were lost, and {figures.duplicates} messages repeated")
    return figures


def network_slow(options):
    """network that delays everything, or passes nothing for a while and then all"""
    figures = Figures(network_slow)
    chance = random.Random(f"{options.seed} network_slow")
    with Stage() as stage:
        gateway = stage.gateway()
        gateway.start()
        for _ in range(50 if options.soak else 5):
            stage.live_after(gateway, bench.now())
            gateway.relay.delay(chance.uniform(0.1, 1))
            time.sleep(chance.uniform(1, 2))
            reopen(stage, figures)
            stage.live_after(gateway, bench.now())
            gateway.relay.hold()
            time.sleep(chance.uniform(0.5, 3))
            reopen(stage, figures)
        finish(stage, figures)
    return figures


def reopen(stage, figures, *gateways):
    """The fault is over, for all gateways or for some: how long until there is news."""
    begun = bench.now()
    figures.fault()
    for gateway in gateways or stage.gateways:
        gateway.relay.open()
    for gateway in gateways or stage.gateways:
        figures.recovered(stage.live_after(gateway, begun), begun)


def finish(stage, figures):
    """The agents have run on through all of it: nothing is missing."""
    stage.in_parallel(lambda gateway: gateway.drain())
    for gateway, account in stage.accounts(figures):
        check_exact(gateway, account)


SCENARIOS = [broker_killed, broker_stopped, network_cut, network_slow]

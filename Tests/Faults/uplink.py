"""Faults of the uplink's process, and brokers that end it. The radio's process runs through all of them."""

import os
import random
import signal
import time

import processes
from mqtt import LIMIT
from network import finish, reopen
from processes import expect
from testbed import Results, Testbed


def uplink(gateway, former=None):
    """Waits for an uplink's process other than `former`, and returns its number."""
    agent = gateway.agent.process.pid
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        expect(gateway.agent.process.poll() is None, f"the agent ended: {gateway.agent.lines[-5:]}")
        with open(f"/proc/{agent}/task/{agent}/children", encoding="ascii") as file:
            for process in map(int, file.read().split()):
                if process != former and is_uplink(process):
                    return process
        time.sleep(0.01)
    raise TimeoutError(f"no uplink follows: {gateway.agent.lines[-5:]}")


def is_uplink(process):
    try:
        with open(f"/proc/{process}/cmdline", "rb") as file:
            return b"--uplink" in file.read()
    except FileNotFoundError:
        return False


def uplink_killed(options):
    """`kill -9` of the uplink's process at random moments, also while the broker is away"""
    results = Results(uplink_killed)
    with Testbed() as testbed:
        for window, spill in [(100, 200), (200, 200), (100, 0), (200, 2000), (100, 200)]:
            testbed.gateway({"windowMs": window}, {"spillAfterMs": spill})
        kills = (500 if options.soak else 15) // len(testbed.gateways)

        def inject_faults(gateway):
            chance = random.Random(f"{options.seed} {gateway.outbox} {gateway.window} {gateway.id}")
            gateway.start()
            process = uplink(gateway)
            testbed.live_after(gateway, processes.now())
            for _ in range(kills):
                time.sleep(chance.uniform(0, 1))
                if chance.random() < 0.35:
                    gateway.proxy.hold()
                    time.sleep(chance.uniform(0, 0.6))
                begun = processes.now()
                os.kill(process, signal.SIGKILL)
                results.fault()
                process = uplink(gateway, process)
                if chance.random() < 0.5:
                    gateway.proxy.open()
                    results.recovered(testbed.live_after(gateway, begun), begun)
                gateway.proxy.open()

        testbed.in_parallel(inject_faults)
        finish(testbed, results)
    expect(not results.lost, f"{results.lost} batches were lost")
    return results


def hostile_broker(options):
    """broker that ends the uplink's process with unknown properties, in CONNACK and PUBLISH"""
    results = Results(hostile_broker)
    with Testbed() as testbed:
        for spill in (200, 0):
            testbed.gateway(outbox={"spillAfterMs": spill}, mqtt={"protocol": "5"}).start()

        def inject_faults(gateway):
            for way in ["connack", "publish"] * (10 if options.soak else 1):
                testbed.live_after(gateway, processes.now())
                process = uplink(gateway)
                gateway.proxy.poison(way)
                uplink(gateway, process)
                results.fault()
                begun = processes.now()
                results.recovered(testbed.live_after(gateway, begun), begun)
            expect(any("signal 6" in line for line in gateway.words), "no uplink ended by an assertion")

        testbed.in_parallel(inject_faults)
        finish(testbed, results)
    expect(not results.lost, f"{results.lost} batches were lost")
    return results


def uplink_hung(options):
    """uplink's process stopped (SIGSTOP), as by a disk that hangs, and replaced"""
    results = Results(uplink_hung)
    with Testbed() as testbed:
        testbed.gateway().start()
        for gateway in testbed.gateways:
            testbed.live_after(gateway, processes.now())
            process = uplink(gateway)
            os.kill(process, signal.SIGSTOP)
            gateway.agent.says("no answer for 30 s")
            uplink(gateway, process)
        reopen(testbed, results)
        finish(testbed, results)
    expect(not results.lost, f"{results.lost} batches were lost")
    return results


SCENARIOS = [uplink_killed, hostile_broker, uplink_hung]

"""Adapters that appear late, that are down, and that stay faulty."""

import time

from detachable_controller import DetachableController
from guest import Agent, Subscriber
from guest import expect, is_deaf, run, wait_for
from hci_monitor import HCIMonitor

ADDRESS = "02:00:5e:00:53:70"
PAUSE = 4000  # ms without a packet: the agent waits for its next attempt
OPEN_INDEX, SCAN_ENABLE = 8, 0x200C  # packet type (bluez, doc/btsnoop-protocol.txt), command
SILENCE = {"maxSilenceMs": 1000}  # a message for each second without an adapter
EXIT_STATUS = 3  # of an agent whose radio did not recover


def deaf(subscriber):
    return [batch for batch in subscriber.batches() if is_deaf(batch)]


def is_up(adapter):
    return "UP" in run("hciconfig", adapter.name).split()


def adapter_appears_and_is_switched_on():
    """The agent waits for so long that its attempts are rare. Nobody switches the adapter on."""
    with DetachableController(ADDRESS) as radio, Subscriber("till-1") as subscriber, HCIMonitor() as monitor:
        name = radio.adapter.name
        radio.detach()
        with Agent("till-1", name, report=SILENCE) as agent:
            agent.until(lambda: agent.says("no adapter"), "a log line about the missing adapter")
            wait_for(lambda: len(deaf(subscriber)) >= 20, "twenty seconds without an adapter")
            attached = time.time() * 1000
            radio.attach()
            wait_for(subscriber.hearing, "sightings")
            expect(radio.adapter.name == name, f"it is {radio.adapter.name} now")
            ready = min(at for _, kind, at, _ in monitor.everything() if kind == OPEN_INDEX and at > attached)
            scan = min(c.at for c in monitor.commands(radio.adapter) if c.opcode == SCAN_ENABLE and c.at > ready)
            # A busy machine is slow from packet to packet.
            packets = [ready] + [at for _, at, _ in monitor.packets(radio.adapter) if ready < at <= scan]
            pause = max(after - before for before, after in zip(packets, packets[1:]))
            print(f"      scans {scan - ready:.0f} ms after the kernel's setup, with a pause of {pause:.0f} ms", flush=True)
            expect(pause < PAUSE, f"the agent waits for {pause:.0f} ms")
            # The kernel switches an adapter off that no program has switched on (Linux, HCI_AUTO_OFF_TIMEOUT).
            now = time.time() * 1000 + 5000
            wait_for(lambda: len(subscriber.hearing(now)) >= 3, "sightings five seconds later")
            # Without the check of adapter.down(): the agent may switch it on before it.
            run("hciconfig", name, "down")
            now = time.time() * 1000
            wait_for(lambda: subscriber.hearing(now), "sightings after it was switched off")
            expect(is_up(radio.adapter), "it is not up")


def adapter_that_must_stay_down():
    with DetachableController(ADDRESS) as radio, Subscriber("till-1") as subscriber:
        radio.adapter.up()
        radio.adapter.down()
        with Agent("till-1", radio.adapter.name, radio={"powerOn": False}, report=SILENCE) as agent:
            agent.until(lambda: agent.says(f"{radio.adapter.name} is down"), "a log line about it")
            wait_for(lambda: len(deaf(subscriber)) >= 5, "five seconds without an adapter")
            expect(not is_up(radio.adapter), "the agent switched it on")
            expect(not subscriber.hearing(), "sightings of an adapter that is down")


def radio_that_stays_faulty():
    """The controller answers nothing any more: the agent ends with a status of its own."""
    with DetachableController(ADDRESS) as radio, Subscriber("till-1") as subscriber:
        radio.adapter.up()
        with Agent("till-1", radio.adapter.name, radio={"exitAfterMinutes": 1}) as agent:
            wait_for(subscriber.hearing, "sightings")
            radio.detach()
            status = wait_for(lambda: agent.process.poll(), "the end of the agent")
            expect(status == EXIT_STATUS, f"exit status {status}")
            expect(len(agent.says("does not recover")) == 1, "not exactly one log line about it")
        wait_for(lambda: subscriber.messages("status")[-1]["state"] == "offline", "the status offline")


SCENARIOS = [
    adapter_appears_and_is_switched_on,
    adapter_that_must_stay_down,
    radio_that_stays_faulty,
]

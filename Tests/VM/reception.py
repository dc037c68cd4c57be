"""Reception: reports on the air reach the broker, on both channels and after changes of the adapter."""

import signal
import time

from guest import Agent, Controllers, Program, Subscriber
from guest import check_stream, deaf_since, expect, is_deaf, run, virtual_radio, wait_for
from hci_monitor import HCIMonitor
from kernel_trace import RAW, USER, KernelTrace

RESET = 0x0C03
IBEACON = (
    "02 01 1a 1a ff 4c 00 02 15 e2 c5 6d b5 df fb 48 d2 b0 60 d0 f5 a7 10 96 e0 00 2a 00 07 c5")
SCAN = {"legacy": {0x200B, 0x200C}, "extended": {0x2041, 0x2042}}


def check_rate(subscriber, trace):
    """The agent counts every report of several beacons; each beacon sends ten a second."""
    counts = {}
    for batch in subscriber.batches():
        for s in batch["sightings"]:
            identity = s["uuid"], s["major"], s["minor"]
            counts[identity] = counts.get(identity, 0) + s["count"]
    expect(len(counts) >= 3, f"{len(counts)} beacons, not several")
    delivered = {identity: len(times) for identity, times in trace.times.items()}
    expect(counts == delivered, f"counted {counts}, not {delivered}")
    for identity in counts:
        trace.check_interval(identity, 100, 111)


def heard(channel):
    """An agent on a legacy and one on an extended controller."""
    with virtual_radio("legacy") as legacy, virtual_radio("extended") as extended:
        adapters = {"legacy": legacy.adapters[0], "extended": extended.adapters[0]}
        if channel == ":user":
            for adapter in adapters.values():
                adapter.down()
        with HCIMonitor() as monitor, Subscriber("legacy") as one, Subscriber("extended") as other:
            subscribers = {"legacy": one, "extended": other}
            with Agent("legacy", adapters["legacy"].name + channel) as first, \
                    Agent("extended", adapters["extended"].name + channel) as second:
                for subscriber in subscribers.values():
                    wait_for(lambda: len(subscriber.hearing()) >= 8, "eight windows")
                sent = {family: {c.opcode for c in monitor.commands(a)}
                        for family, a in adapters.items()}
                # The radios end first, so that the agents read all reports.
                ended = time.time() * 1000
                expect([legacy.end(), extended.end()] == [0, 0], "a virtual radio failed")
                for subscriber in subscribers.values():
                    deaf_since(subscriber, ended)
                expect([first.end(), second.end()] == [0, 0], "an agent did not end cleanly")
            for family, subscriber in subscribers.items():
                check_commands(family, sent[family], resets=channel == ":user")
                check_stream(subscriber)
                check_rate(subscriber, KernelTrace(monitor, USER if channel else RAW, adapters[family]))


def check_commands(family, sent, resets):
    """The agent sends the commands of one family, and a reset only on the user channel."""
    expect(SCAN[family] <= sent, f"{family}: its scan commands were not sent")
    for other in SCAN.keys() - {family}:
        expect(not SCAN[other] & sent, f"{family}: scan commands of the {other} family were sent")
    expect((RESET in sent) == resets, f"{family}: {'no' if resets else 'a'} reset was sent")


def raw_channel_is_heard():
    heard("")


def user_channel_is_heard():
    heard(":user")


def adapter_goes_down_and_up_again():
    with virtual_radio("legacy") as radio, Subscriber("till-1") as subscriber:
        [adapter] = radio.adapters
        with Agent("till-1", adapter.name, radio={"powerOn": False}) as agent:
            wait_for(lambda: len(subscriber.hearing()) >= 2, "sightings")
            adapter.down()
            deaf = wait_for(lambda: [b for b in subscriber.batches() if is_deaf(b)], "a deaf window")
            agent.until(lambda: agent.says(f"{adapter.name}.* down"), "a log line about it")
            adapter.up()
            back = lambda: subscriber.hearing(deaf[0]["window"]["end"])
            wait_for(lambda: len(back()) >= 3, "sightings after it came up again")
        check_stream(subscriber)
        expect(len(agent.says(f"{adapter.name}.* down")) <= 2, "logs it repeatedly")


def user_channel_of_an_adapter_that_is_up():
    with virtual_radio("legacy") as radio, Subscriber("till-1") as subscriber:
        [adapter] = radio.adapters
        with Agent("till-1", adapter.name + ":user") as agent:
            agent.until(lambda: agent.says(f"{adapter.name}.* is up.*down"), "a log line with a remedy")
            # Without the check of adapter.down(): the agent may take the adapter before it.
            run("hciconfig", adapter.name, "down")
            wait_for(subscriber.hearing, "sightings after the remedy")


def user_channel_of_an_old_controller():
    """A controller of version 4.0 refuses the events of later versions."""
    with virtual_radio("legacy-4.0") as radio, Subscriber("till-1") as subscriber:
        [adapter] = radio.adapters
        adapter.down()
        with Agent("till-1", adapter.name + ":user") as agent:
            wait_for(lambda: len(subscriber.hearing()) >= 2, "sightings")
            expect(agent.end() == 0, "did not end cleanly")


def user_channel_that_is_taken():
    with virtual_radio("extended") as radio, Subscriber("till-1") as subscriber:
        [adapter] = radio.adapters
        adapter.down()
        with Agent("till-1", adapter.name + ":user"):
            wait_for(subscriber.hearing, "sightings")
            with Agent("till-2", adapter.name + ":user") as second:
                second.until(lambda: second.says(f"{adapter.name}.*(in use|another program)"), "a log line")
            now = subscriber.batches()[-1]["window"]["end"]
            wait_for(lambda: subscriber.hearing(now), "sightings of the first agent, undisturbed")


def raw_channel_beside_another_scanner():
    with virtual_radio("legacy") as radio, Subscriber("till-1") as subscriber:
        [adapter] = radio.adapters
        scanner = ("hcitool", "-i", adapter.name, "lescan", "--passive", "--duplicates")
        with Program(*scanner) as other, Agent("till-1", adapter.name):
            wait_for(lambda: len(subscriber.hearing()) >= 2, "sightings beside it")
            # On SIGINT, hcitool disables the scan, which is also the agent's.
            other.end(signal.SIGINT)
            now = int(time.time() * 1000)
            wait_for(lambda: len(subscriber.hearing(now)) >= 3, "sightings after the end of the other program")


def controller_that_is_not_ours():
    """btvirt sends one report each time that advertising is enabled, without RSSI."""
    with Controllers("btvirt", "-l2", count=2) as btvirt, Subscriber("till-1") as subscriber:
        ours, theirs = btvirt.adapters
        ours.down()
        with Agent("till-1", ours.name + ":user") as agent:
            agent.until(lambda: agent.says("scanning"), "the agent to scan")
            theirs.command("0x08", "0x0006", "a0 00 a0 00 03 00 00 00 00 00 00 00 00 07 00")
            theirs.command("0x08", "0x0008", f"1e {IBEACON} 00")
            theirs.command("0x08", "0x000a", "01")
            [batch] = wait_for(subscriber.hearing, "the sighting")
        [sighting] = batch["sightings"]
        expect((sighting["major"], sighting["minor"]) == (42, 7), f"another identity: {sighting}")
        expect("rssi" not in sighting, f"an RSSI that the controller did not measure: {sighting}")


def no_such_adapter():
    with Agent("till-1", "hci7") as agent:
        agent.until(lambda: agent.says("hci7"), "a log line that names it")
        expect(agent.end() == 0, "the agent did not end cleanly")


def no_permission():
    nobody = ("setpriv", "--reuid", "nobody", "--clear-groups", "--inh-caps", "-all")
    with virtual_radio("legacy") as radio:
        [adapter] = radio.adapters
        with Agent("till-1", adapter.name, *nobody) as agent:
            agent.until(lambda: agent.says("CAP_NET_RAW"), "a log line that names CAP_NET_RAW")
        adapter.down()
        with Agent("till-1", adapter.name + ":user", *nobody) as agent:
            agent.until(lambda: agent.says("CAP_NET_ADMIN"), "a log line that names CAP_NET_ADMIN")


SCENARIOS = [
    raw_channel_is_heard,
    user_channel_is_heard,
    adapter_goes_down_and_up_again,
    user_channel_of_an_adapter_that_is_up,
    user_channel_of_an_old_controller,
    user_channel_that_is_taken,
    raw_channel_beside_another_scanner,
    controller_that_is_not_ours,
    no_such_adapter,
    no_permission,
]

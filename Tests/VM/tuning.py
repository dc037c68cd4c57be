"""Retuning over MQTT: the commands to the adapter, their order, and the advertising on the air."""

import signal
import time

from guest import Agent, Broker, Controllers, Layer, Subscriber
from guest import check_stream, expect, in_order, is_deaf, virtual_radio, wait_for
from reception import RESET
from hci_monitor import HCIMonitor
from kernel_trace import RAW, USER, KernelTrace
from management import Management

UUID = "3a6f0c52-9b1d-4e87-8f20-5c7d1e9b6a04"
# Flags 1a; Apple's manufacturer data: iBeacon, UUID, major 42, minor 8, measured power -61.
IBEACON = (
    "02 01 1a 1a ff 4c 00 02 15 3a 6f 0c 52 9b 1d 4e 87 8f 20 5c 7d 1e 9b 6a 04 00 2a 00 08 c3")
# Off, parameters, data, on. An interval of 0x0140 × 0.625 ms twice; neither connectable nor scannable nor directed; own
# address public, no peer; all three channels.
RETUNE = {
    "legacy": [
        (0x200A, "00"),
        (0x2006, "40 01 40 01 03 00 00 00 00 00 00 00 00 07 00"),
        (0x2008, f"1e {IBEACON} 00"),
        (0x200A, "01"),
    ],
    "extended": [
        (0x2039, "00 01 ef 00 00 00"),
        (0x2036, "ef 10 00 40 01 00 40 01 00 07 00 00 00 00 00 00 00 00 00 7f 01 00 01 00 00"),
        (0x2037, f"ef 03 01 1e {IBEACON}"),
        (0x2039, "01 01 ef 00 00 00"),
    ],
}
STAYS_DOWN = {"powerOn": False}  # an adapter that another program takes down
SLOWEST = 5000  # ms of delay of a report in a busy guest
ADVERTISING = {opcode for commands in RETUNE.values() for opcode, _ in commands}


def identity(minor):
    return {"uuid": UUID, "major": 42, "minor": minor, "measuredPower": -61}


def sightings(batch, minor):
    """The sightings of the test's identity with that minor number."""
    return [s for s in batch["sightings"] if (s["uuid"], s["major"], s["minor"]) == (UUID, 42, minor)]


def counts(subscriber, minor, after=0):
    """The number of reports of the identity in each full second after the given time (ms)."""
    return [sum(s["count"] for s in sightings(b, minor)) for b in subscriber.batches()
            if b["window"]["start"] >= after and b["window"]["end"] - b["window"]["start"] == 1000]


def first_heard(subscriber, minor, after=0):
    """The end of the first window with the identity; `None` without one."""
    ends = [b["window"]["end"] for b in subscriber.batches()
            if b["window"]["start"] >= after and sightings(b, minor)]
    return ends[0] if ends else None


def heard(subscriber, minor, after=0):
    return wait_for(lambda: first_heard(subscriber, minor, after), f"minor {minor} to be heard")


def is_silent(subscriber, minor, after=0, windows=3):
    """Whether the latest windows are without the identity."""
    latest = counts(subscriber, minor, after)[-windows:]
    return len(latest) == windows and not any(latest)


def silent(subscriber, minor, after=0):
    wait_for(lambda: is_silent(subscriber, minor, after), f"minor {minor} to be off the air")


def heard_for_five_seconds(subscriber, minor):
    begin = heard(subscriber, minor)
    wait_for(lambda: len(counts(subscriber, minor, begin)) >= 5, "five full seconds")


def last_reported(subscriber, version):
    """Waits until the gateway's last report has the given version of its own layer."""
    def known():
        reported = subscriber.reported()
        return reported and reported[-1]["versions"]["gateway"] == version and reported[-1]

    return wait_for(known, f"a report of version {version}")


def retuned(family, channel=""):
    """One MQTT message causes four HCI commands and another identity on the air."""
    gateway = f"{family}{channel.replace(':', '-')}"
    with virtual_radio(family, "legacy") as radio, Layer() as fleet, Layer(gateway) as layer, \
            Subscriber(gateway) as subscriber, Subscriber("counter") as counter, \
            HCIMonitor() as monitor:
        shelf, other = radio.adapters
        if channel:
            shelf.down()
        fleet.publish(advertise={"uuid": UUID})
        settings = {"major": 42, "minor": 7, "measuredPower": -61}
        with Agent("counter", other.name), \
                Agent(gateway, shelf.name + channel, advertise=settings) as agent:
            heard_for_five_seconds(counter, 7)
            before = len(monitor.commands(shelf))
            layer.publish(advertise={"minor": 8, "intervalMs": 200})
            heard_for_five_seconds(counter, 8)
            sent = monitor.commands(shelf)[before:]
            report = last_reported(subscriber, 1)
            expect(agent.end() == 0, "the agent did not end cleanly")
            check_silenced(monitor, shelf, counter, 8)
            received = KernelTrace(monitor, RAW, other)
        check_commands(sent, family)
        check_report(report, shelf, family)
        check_change(counter, received, sent)
        check_stream(counter)
        check_undisturbed(subscriber, KernelTrace(monitor, USER if channel else RAW, shelf), sent)


def check_commands(sent, family):
    got = [(c.opcode, c.parameters.hex(" ")) for c in sent]
    expect(got == RETUNE[family], f"other commands than the four: {sent}")
    expect(all(c.status == 0 for c in sent), f"not all succeeded: {sent}")
    for before, after in zip(sent, sent[1:]):
        expect(before.answered <= after.at, f"{after} was sent before {before} was answered")


def check_silenced(monitor, adapter, listener, minor):
    """At the agent's end its advertising ends."""
    silent(listener, minor)
    last = [c for c in monitor.commands(adapter) if c.opcode in ADVERTISING][-1]
    # The kernel drops the answer of a busy controller if the agent has left the user channel before it.
    expect(last.parameters[0] == 0 and last.status in (0, None), f"the last command is {last}")


def check_report(report, adapter, family):
    radio = dict(report["radio"])
    power = radio.pop("txPowerDbm")
    expect(power is None if family == "legacy" else isinstance(power, int), f"power {power}")
    expect(radio == {"address": adapter.address, "advertising": True, "intervalMs": 200,
                     "commands": family}, f"radio {radio}")
    expect(report["versions"] == {"fleet": 1, "site": None, "gateway": 1}, f"{report['versions']}")
    expect((report["status"], report["errors"]) == ("applied", []), f"{report}")
    expect(report["effective"]["advertise"]["minor"] == 8, f"in force: {report['effective']}")


def check_change(counter, received, sent):
    """The old identity is on the air until it is switched off, the new one from when it is switched on, each at its
    interval; and the gateway at the counter counts every report."""
    off, on = sent[0].answered, sent[-1].at
    # Every advertiser adds up to 10 ms by chance.
    for minor, shortest, longest in [(7, 100, 111), (8, 196, 222)]:
        received.check_interval((UUID, 42, minor), shortest, longest)
        times = received.times[UUID, 42, minor]
        counted = sum(s["count"] for batch in counter.batches() for s in sightings(batch, minor))
        expect(counted == len(times), f"{counted} reports of minor {minor}, not {len(times)}")
    last, first = received.times[UUID, 42, 7][-1], received.times[UUID, 42, 8][0]
    # A busy radio reports late, but in order.
    expect(last < min(first, off + SLOWEST), f"the old identity is on the air {last - off:.0f} ms after its end")
    expect(first >= on, f"the new identity is on the air {on - first:.0f} ms too early")
    for batch in counter.batches():
        end = batch["window"]["end"]
        expect(end > on or not sightings(batch, 8), f"the new identity {on - end:.0f} ms too early")


def check_undisturbed(subscriber, trace, sent):
    """The gateway receives reports during the retuning, and none of its own."""
    check_stream(subscriber)
    batches = in_order(subscriber)
    begin, counted = next(i for i, b in enumerate(batches) if not is_deaf(b)), 0
    for batch in batches[begin:]:
        window = batch["window"]
        expect(not is_deaf(batch), f"deaf: {window}")
        expect(not sightings(batch, 7) + sightings(batch, 8), f"heard itself: {window}")
        # Each report is counted, at the latest some seconds after the kernel received it.
        counted += batch["radio"]["reports"]
        expect(counted >= trace.count_before(window["end"] - SLOWEST), f"reports are missing: {window}")
    expect(counted <= len(trace.reports), f"{counted} reports of {len(trace.reports)}")
    # The last window ends with the agent.
    expect(any(b["window"]["end"] % 1000 for b in batches[begin:-1] if b["window"]["end"] >= sent[0].at),
           "no window ends with the retune")


def retuned_on_a_legacy_controller():
    retuned("legacy")


def retuned_on_an_extended_controller():
    retuned("extended")


def retuned_on_the_user_channel():
    retuned("extended", ":user")


def comes_back(family, switch_off):
    """Advertising returns after another program disabled it, after the adapter was down, and after SIGKILL and a new
    broker without retained messages."""
    with virtual_radio(family, "legacy") as radio, Broker(port=1884) as broker, \
            Subscriber("counter") as counter, HCIMonitor() as monitor:
        shelf, other = radio.adapters
        settings = identity(7)
        with Agent("counter", other.name), Layer("door", port=1884) as layer, \
                Subscriber("door", port=1884) as subscriber, \
                Agent("door", shelf.name, port=1884, advertise=settings, radio=STAYS_DOWN) as agent:
            layer.publish(advertise={"minor": 8})
            now = heard(counter, 8)
            before = len(monitor.commands(shelf))
            shelf.command(*switch_off)
            sent = lambda: monitor.commands(shelf)[before:]
            wait_for(lambda: switched_on(sent(), family), "advertising to return")
            heard(counter, 8, now + 1000)
            returns_with_the_adapter(shelf, family, counter, subscriber, monitor)
            broker.end()
            agent.end(by=signal.SIGKILL)
        shelf.command(*switch_off)
        with Agent("counter", other.name):
            silent(counter, 8)
            now = counter.batches()[-1]["window"]["end"]
            with Agent("door", shelf.name, port=1884, advertise=settings, radio=STAYS_DOWN) as agent:
                heard(counter, 8, now)
                # The agent may be there before the subscriber.
                with Broker(port=1884), \
                        Subscriber("door", port=1884, retained=True) as subscriber:
                    report = last_reported(subscriber, 1)
                    expect(report["effective"]["advertise"]["minor"] == 8, f"in force: {report}")
                    expect(report["radio"]["advertising"], f"not advertising: {report}")
                    now = counter.batches()[-1]["window"]["end"]
                    heard(counter, 8, now)


def switched_on(commands, family):
    """The successful commands that enable advertising."""
    [*_, (opcode, parameters)] = RETUNE[family]
    return [c for c in commands
            if (c.opcode, c.parameters.hex(" "), c.status) == (opcode, parameters, 0)]


def returns_with_the_adapter(adapter, family, counter, subscriber, monitor):
    before, reports = len(monitor.commands(adapter)), len(subscriber.reported())
    told = lambda: [r["radio"]["advertising"] for r in subscriber.reported()[reports:]]
    # Checks only the agent's report: the controller decides whether it advertises meanwhile.
    adapter.down()
    wait_for(lambda: told()[-1:] == [False], "a report without advertising")
    adapter.up()
    wait_for(lambda: told()[-1:] == [True], "a report with advertising")
    commands = monitor.commands(adapter)[before:]
    on = switched_on(commands, family)
    expect(commands[0].opcode == RESET, f"the kernel did not reset it: {commands[:3]}")
    expect(len(on) == 1, f"switched on {len(on)} times: {commands}")
    heard(counter, 8, on[0].answered)


def comes_back_on_a_legacy_controller():
    comes_back("legacy", ("0x08", "0x000a", "00"))


def comes_back_on_an_extended_controller():
    comes_back("extended", ("0x08", "0x0039", "00 00"))


def comes_back_after_a_reset():
    """Another program resets the adapter, once with an HCI command and once through the kernel."""
    with virtual_radio("extended", "legacy") as radio, Subscriber("door") as subscriber, \
            Subscriber("counter") as counter:
        shelf, other = radio.adapters
        with Agent("counter", other.name), Agent("door", shelf.name, advertise=identity(7)):
            heard(counter, 7)
            for reset in lambda: shelf.command("0x03", "0x0003", ""), shelf.reset:
                now = int(time.time() * 1000)
                reset()
                deaf = lambda: [b["window"]["end"] for b in subscriber.batches()
                                if is_deaf(b) and b["window"]["end"] > now]
                [noticed, *_] = wait_for(deaf, "a deaf window")
                wait_for(lambda: len(subscriber.hearing(noticed)) >= 3, "sightings")
                heard(counter, 7, noticed)
        check_stream(subscriber)


def echo_and_end():
    """Two gateways with one identity hear each other; one of them ends, twice."""
    with virtual_radio("extended", "legacy") as radio, HCIMonitor() as monitor, \
            Subscriber("shelf") as one, Subscriber("counter") as other:
        shelf, counter = radio.adapters
        with Agent("counter", counter.name, advertise=identity(7)):
            with Agent("shelf", shelf.name, advertise=identity(7)) as agent:
                for subscriber in one, other:
                    wait_for(lambda: [b for b in subscriber.batches() if is_echo(b)], "an echo")
                expect(agent.end() == 0, "the agent did not end cleanly")
            check_silenced(monitor, shelf, other, 7)
            now = other.batches()[-1]["window"]["end"]
            kept = {**identity(7), "keepOnExit": True}
            with Agent("shelf", shelf.name, advertise=kept) as agent:
                heard(other, 7, now)
                expect(agent.end() == 0, "the agent did not end cleanly")
            now = other.batches()[-1]["window"]["end"]
            heard(other, 7, now + 1000)


def is_echo(batch):
    """Whether a sighting is marked as an echo; sightings of beacons must not be."""
    expect(all(sightings(batch, 7) == [s] for s in batch["sightings"] if "echo" in s),
           f"echoes of others: {batch}")
    return any(s.get("echo") is True for s in sightings(batch, 7))


def advertising_beside_bluez():
    """The advertising of the kernel's first instance and the gateway's are both on the air, and neither stops the other."""
    with virtual_radio("extended", "legacy") as radio, Subscriber("counter") as counter:
        shelf, other = radio.adapters
        with Agent("counter", other.name), Management(shelf) as management, \
                Agent("door", shelf.name, advertise=identity(7)) as agent:
            heard(counter, 7)
            beacon = bytes.fromhex(IBEACON)[3:-3] + bytes([0, 9, 0xC3])
            management.add_advertising(1, beacon)
            heard(counter, 9)
            now = int(time.time() * 1000)
            both = lambda: [b for b in counter.hearing(now) if sightings(b, 7) and sightings(b, 9)]
            wait_for(lambda: len(both()) >= 3, "windows with both")
            management.remove_advertising(1)
            silent(counter, 9)
            now = counter.batches()[-1]["window"]["end"]
            heard(counter, 7, now)
            expect(not agent.says("another program"), "the kernel's advertising counted as interference")


def retuned_controller_that_is_not_ours():
    """btvirt sends one report each time that advertising is enabled, to the adapters that scan then."""
    with Controllers("btvirt", "-l2", count=2) as btvirt, Layer("till-3") as layer, \
            Subscriber("till-1") as subscriber, Subscriber("till-3") as tuned:
        ours, theirs = btvirt.adapters
        with Agent("till-1", ours.name) as agent, \
                Agent("till-3", theirs.name, advertise=identity(7)):
            agent.until(lambda: agent.says("scanning"), "the agent to scan")
            wait_for(tuned.reported, "the first report")
            layer.publish(advertise={"minor": 8})
            heard(subscriber, 8)
            expect(last_reported(tuned, 1)["status"] == "applied", f"{tuned.reported()[-1]}")


SCENARIOS = [
    retuned_on_a_legacy_controller,
    retuned_on_an_extended_controller,
    retuned_on_the_user_channel,
    comes_back_on_a_legacy_controller,
    comes_back_on_an_extended_controller,
    comes_back_after_a_reset,
    echo_and_end,
    advertising_beside_bluez,
    retuned_controller_that_is_not_ours,
]

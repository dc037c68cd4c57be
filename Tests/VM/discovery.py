"""Discoveries of BlueZ beside an agent that shares the adapter. The simulated controllers refuse scan parameters and
random addresses during a scan (Core 5.4 Vol 4 Part E 7.8.4, 7.8.10, 7.8.64)."""

import contextlib
import time

import guest
from guest import Agent, Subscriber
from guest import check_stream, expect, is_deaf, wait_for
from detachable_controller import DetachableController
from hci_monitor import HCIMonitor
from kernel_trace import EDGE, RAW, KernelTrace
from lateness import Lateness
from management import Management
from recovery import states

ADDRESS = "02:00:5e:00:53:60"
LATENCY = 0.01  # seconds at most until a controller receives a command, so that those of two programs meet
PERIOD, TURNS = 3.4, 4  # seconds from one start of a discovery to the next; how many of them, without the long form
TIMEOUT = 10.24  # seconds after which the kernel ends a discovery (Linux, DISCOV_LE_TIMEOUT)
LATE = 5  # seconds that a busy machine may delay the end
QUIET = 200  # ms without commands of other programs, after which the agent restores its scan
ALARMS = "silent|switching the adapter|refused|pausing|opening it again|scan off and on"
RESET, SCAN_ENABLE = 0x0C03, {"legacy": 0x200C, "extended": 0x2042}
SCAN_PARAMETERS = {"legacy": 0x200B, "extended": 0x2041}


def hears_after(subscriber, since, what):
    """Waits for a window with sightings that began after this moment (ms) and is not deaf."""
    heard = lambda: [b for b in subscriber.hearing(since) if not is_deaf(b)]
    return wait_for(heard, f"sightings {what}")[0]


def check_agent(agent, subscriber, monitor, adapter, before, collides):
    """The agent has left the adapter alone: it hears, has reported no fault, and has taken no recovery step."""
    alarms = [line for line in agent.says(ALARMS) if not (collides and "keeps the controller from scanning" in line)]
    expect(not alarms, f"{len(alarms)} alarms: {alarms[:3]}")
    resets = [c for c in monitor.commands(adapter)[before:] if c.opcode == RESET]
    expect(not resets, "the adapter was switched off and on")
    expect(states(subscriber)[0] == "online", f"status {states(subscriber)}")
    for health in subscriber.messages("health"):
        steps = {name: health["radio"][name] for name in ("rescans", "powerCycles", "restarts")}
        expect(not any(steps.values()), f"recovery steps: {steps}")


def check_counts(subscriber, monitor, adapter):
    trace = KernelTrace(monitor, RAW, adapter)
    counts = {}
    for batch in subscriber.batches():
        for s in batch["sightings"]:
            identity = s["uuid"], s["major"], s["minor"]
            counts[identity] = counts.get(identity, 0) + s["count"]
    for identity in trace.times:
        least, most = trace.bounds(identity)
        expect(least <= counts.get(identity, 0) <= most,
               f"{counts.get(identity)} of {identity}, not {least} to {most}")


@contextlib.contextmanager
def gateway(family):
    """A gateway on a shared adapter, which hears until the end, whatever the programs beside it do."""
    with DetachableController(ADDRESS, family, latency=LATENCY) as radio, HCIMonitor() as monitor, \
            Subscriber("till-1") as subscriber, Lateness() as lateness:
        adapter = radio.adapter
        adapter.up()
        with Agent("till-1", adapter.name) as agent, Management(adapter) as management:
            wait_for(lambda: len(subscriber.hearing()) >= 2, "sightings")
            before = len(monitor.commands(adapter))
            # Between two commands of a change, a machine may stand still for so long that the agent takes the change as
            # finished.
            collides = lambda: lateness.most >= QUIET / 2
            yield subscriber, monitor, adapter, lambda: management.discover(collides), management
            check_agent(agent, subscriber, monitor, adapter, before, collides())
            print(f"      woken {lateness.most:.0f} ms late at most", flush=True)
            expect(agent.end() == 0, "the agent did not end cleanly")
        check_stream(subscriber)
        check_counts(subscriber, monitor, adapter)


def discoveries_that_are_stopped(family):
    """BlueZ starts and stops discoveries in turn."""
    with gateway(family) as (subscriber, _, _, discover, management):
        for turn in range(3 * TURNS if guest.SOAK else TURNS):
            for change in discover, management.end_discovery:
                change()
                changed = time.time()
                hears_after(subscriber, changed * 1000, f"in turn {turn}")
                management.read(max(0, PERIOD / 2 - (time.time() - changed)))
        # The agent publishes health every 30 s.
        wait_for(lambda: subscriber.messages("health"), "health")


def discoveries_that_end(family):
    """A discovery ends after its 10.24 s as it does without the agent, which hears meanwhile."""
    with gateway(family) as (subscriber, monitor, adapter, discover, management):
        for turn in range(2):
            discover()
            begun = management.discovering[-1][0]
            heard = hears_after(subscriber, begun, "during the discovery")
            wait_for(lambda: not management.is_discovering(), f"the end of discovery {turn}")
            ended = management.discovering[-1][0]
            expect(heard["window"]["end"] <= ended, f"turn {turn}: no sightings during the discovery")
            lasted = (ended - begun) / 1000
            expect(TIMEOUT - 0.5 < lasted < TIMEOUT + LATE, f"the discovery lasted {lasted:.2f} s")
            hears_after(subscriber, time.time() * 1000, "after the discovery")
            check_filter(monitor, adapter, family, heard["window"])


def passive_scan_goes_on(family):
    """The kernel scans passively for a device. After the agent's end, the controller scans as the kernel has set it."""
    with DetachableController(ADDRESS, family) as radio, HCIMonitor() as monitor, \
            Subscriber("till-1") as subscriber:
        adapter = radio.adapter
        adapter.up()
        with Agent("till-1", adapter.name) as agent, Management(adapter) as management:
            wait_for(lambda: len(subscriber.hearing()) >= 2, "sightings")
            management.add_device("02:00:5e:00:53:99")
            hears_after(subscriber, time.time() * 1000, "beside the kernel's scan")
            expect(agent.end() == 0, "the agent did not end cleanly")
            scans = [c for c in monitor.commands(adapter)
                     if c.opcode in (SCAN_ENABLE[family], SCAN_PARAMETERS[family])]
            theirs = next(i for i, c in enumerate(scans) if c.parameters[:2] == b"\x01\x01")
            expect([c.parameters for c in scans[-2:]] == [c.parameters for c in scans[theirs - 1:theirs + 1]],
                   f"the last commands are {scans[-3:]}, not {scans[theirs - 1:theirs + 1]}")
            expect(all(c.status == 0 for c in scans[-2:]), f"refused: {scans[-2:]}")


def check_filter(monitor, adapter, family, window):
    """A window counts as heard only while the controller reports each advertisement: scan on, duplicates kept. The agent
    may date an answer to the moment before it reads it."""
    earlier = [c for c in monitor.commands(adapter) if c.opcode == SCAN_ENABLE[family]
               and c.status == 0 and c.answered < window["start"] + EDGE]
    expect(earlier[-1].parameters[:2] == b"\x01\x00", f"heard with {earlier[-1]}")


def discoveries_beside_a_legacy_controller():
    discoveries_that_are_stopped("legacy")


def discoveries_beside_an_extended_controller():
    discoveries_that_are_stopped("extended")


def discovery_ends_beside_a_legacy_controller():
    discoveries_that_end("legacy")


def discovery_ends_beside_an_extended_controller():
    discoveries_that_end("extended")


def passive_scan_goes_on_beside_a_legacy_controller():
    passive_scan_goes_on("legacy")


def passive_scan_goes_on_beside_an_extended_controller():
    passive_scan_goes_on("extended")


SCENARIOS = [
    discoveries_beside_a_legacy_controller,
    discoveries_beside_an_extended_controller,
    discovery_ends_beside_a_legacy_controller,
    discovery_ends_beside_an_extended_controller,
    passive_scan_goes_on_beside_a_legacy_controller,
    passive_scan_goes_on_beside_an_extended_controller,
]

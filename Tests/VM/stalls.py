"""Stops of the agent by the system on the kernel's channels: SIGSTOP, with and without a step of the clock, and suspend."""

import signal
import time
from contextlib import contextmanager

import clock
from guest import Agent, Subscriber
from guest import check_stream, expect, is_deaf, virtual_radio, wait_for
from hci_monitor import HCIMonitor
from kernel_trace import EDGE as UNREAD, RAW, USER, KernelTrace

SECONDS = 5  # of a stop
SLEEP = 20  # seconds until the alarm that ends a suspend; on a busy machine, the kernel needs some to begin it
EDGE = 20  # ms: the clocks of agent and monitor, and a report at a window's end


def stopped(*agents):
    """Stops the agents for some time, and returns when (ms since 1970)."""
    begun = time.time() * 1000
    for agent in agents:
        agent.process.send_signal(signal.SIGSTOP)
    time.sleep(SECONDS)
    ended = time.time() * 1000
    for agent in agents:
        agent.process.send_signal(signal.SIGCONT)
    return begun, ended


@contextmanager
def both_channels():
    """Two agents that hear beacons, on the raw and on the user channel: the agents, their subscribers, and the traces."""
    with virtual_radio("legacy", "extended") as radio, HCIMonitor() as monitor, \
            Subscriber("raw") as one, Subscriber("user") as other:
        shared, own = radio.adapters
        own.down()
        with Agent("raw", shared.name) as first, Agent("user", own.name + ":user") as second:
            for subscriber in (one, other):
                wait_for(lambda: len(subscriber.hearing()) >= 3, "sightings")
            yield (first, second), (one, other), lambda: (
                KernelTrace(monitor, RAW, shared), KernelTrace(monitor, USER, own))


def end(agents):
    expect([agent.end() for agent in agents] == [0, 0], "an agent did not end cleanly")


def stopped_agents_use_the_kernels_times():
    """Each report is in the window in which the kernel received it, by the times of the HCI monitor."""
    with both_channels() as (agents, subscribers, traces):
        begun, ended = stopped(*agents)
        for subscriber in subscribers:
            wait_for(lambda: len(subscriber.hearing(ended)) >= 3, "sightings after the stop")
        end(agents)
        for subscriber, trace in zip(subscribers, traces()):
            check_windows(subscriber, trace, begun, ended)


def frozen_machine():
    """The kernel prepares Bluetooth for a suspend and freezes all processes. Its monotonic clock goes on."""
    suspended_machine(freeze)


def sleeping_machine():
    """The machine suspends to memory until the alarm of its real-time clock (only in suspend-in-guest)."""
    slept = suspended_machine(sleep)
    expect(slept > 1000, f"the kernel counts {slept:.0f} ms of sleep")


def suspended_machine(suspend):
    """Each report is in the window in which the kernel received it, and no window claims to hear while the machine sleeps.

    Returns how long it slept, in ms."""
    with both_channels() as (agents, subscribers, traces):
        begun, awake = time.time() * 1000, time_asleep()
        suspend()
        ended, slept = time.time() * 1000, time_asleep() - awake
        expect(ended - begun > 1000, f"suspended for {ended - begun:.0f} ms")
        for subscriber in subscribers:
            wait_for(lambda: len(subscriber.hearing(ended)) >= 3, "sightings after it")
        for agent in agents:
            expect(agent.says("radio process did not run"), "the log does not have the stall")
            expect(not agent.says("radio failed"), "the radio failed")
        end(agents)
        # The kernel stops the scan of a shared adapter, which then does not hear.
        expect(any(map(is_deaf, subscribers[0].batches())), "no window is deaf")
        for subscriber, trace in zip(subscribers, traces()):
            check_windows(subscriber, trace, begun, ended, deaf=True)
            heard = [(max(w["start"], begun), min(w["end"], ended)) for w in
                     (b["window"] for b in subscriber.batches() if not is_deaf(b))]
            claimed = sum(max(0, end - start) for start, end in heard)
            expect(claimed <= ended - begun - slept + EDGE, f"hearing for {claimed:.0f} ms of {ended - begun:.0f}, "
                   f"in which the machine slept for {slept:.0f}")
    return slept


def freeze():
    """Suspends this machine up to its frozen processes, for some seconds (kernel, basic-pm-debugging.rst).

    The kernel waits in a loop that it timed at its start. Where an emulator was slow then, the loop is too short: asks for
    more until the processes were frozen long enough."""
    write("/sys/power/pm_test", "freezer")
    for delay in (5, 20, 80):
        write("/sys/module/suspend/parameters/pm_test_delay", str(delay))
        begun = time.monotonic()
        write("/sys/power/state", "mem")
        if time.monotonic() - begun > 3:
            break
    write("/sys/power/pm_test", "none")


def sleep():
    """Suspends this machine to memory (kernel, admin-guide/pm/sleep-states.rst)."""
    write("/sys/class/rtc/rtc0/wakealarm", f"+{SLEEP}")
    write("/sys/power/mem_sleep", "deep")
    write("/sys/power/state", "mem")


def write(path, word):
    with open(path, "w") as file:
        file.write(word)


def time_asleep():
    """How long this machine has slept since its boot, in ms."""
    return (time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)) * 1000


def check_windows(subscriber, trace, begun, ended, deaf=False):
    """Checks the counts during a stop. Only a radio that may be `deaf` can lack windows."""
    check_stream(subscriber)
    during = [b for b in subscriber.batches()
              if b["window"]["start"] < ended and b["window"]["end"] > begun]
    expect(deaf or len(during) >= SECONDS, f"{len(during)} windows in {SECONDS} s: "
           f"{[(b['window'], b['radio']) for b in during]}")
    slept = {batch["window"]["start"] for batch in during if is_deaf(batch)}
    for batch in during:
        window = batch["window"]
        expect(deaf or not is_deaf(batch), f"deaf: {window}")
        if is_deaf(batch):
            continue
        # A machine that falls asleep leaves some reports unread, which are then in the deaf window.
        unread = UNREAD if window["end"] in slept else 0
        for s in batch["sightings"]:
            identity = s["uuid"], s["major"], s["minor"]
            least, most = (sum(window["start"] + edge <= at < window["end"] - max(edge, unread)
                               for at in trace.times[identity]) for edge, unread in ((EDGE, unread), (-EDGE, -EDGE)))
            expect(least <= s["count"] <= most,
                   f"{s['count']} reports in {window}, and {least} to {most} in the kernel's trace")


def stopped_agent_whose_clock_is_set():
    """After a step, the kernel's times do not tell when a report arrived: the window is deaf."""
    with virtual_radio("legacy") as radio, Subscriber("raw") as subscriber:
        try:
            with Agent("raw", radio.adapters[0].name) as agent:
                wait_for(lambda: len(subscriber.hearing()) >= 3, "sightings")
                agent.process.send_signal(signal.SIGSTOP)
                time.sleep(2)
                clock.step(2)
                time.sleep(2)
                agent.process.send_signal(signal.SIGCONT)
                wait_for(lambda: any(map(is_deaf, subscriber.batches())), "a deaf window")
                index = [is_deaf(batch) for batch in subscriber.batches()].index(True)
                wait_for(lambda: len(subscriber.batches()) > index + 2, "windows after the stop")
        finally:
            clock.step(-2)
            clock.discipline()
        deaf = [b for b in subscriber.batches() if is_deaf(b)]
        expect(len(deaf) == 1, f"{len(deaf)} deaf windows")
        length = deaf[0]["window"]["end"] - deaf[0]["window"]["start"]
        expect(3500 <= length, f"a deaf window of {length} ms")
        for batch in subscriber.batches():
            most = (batch["window"]["end"] - batch["window"]["start"]) / 100 + 7
            expect(all(s["count"] <= most for s in batch["sightings"]), f"too many reports: {batch}")


SCENARIOS = [
    stopped_agents_use_the_kernels_times,
    stopped_agent_whose_clock_is_set,
    frozen_machine,
]
# Those that disconnect the guest's root.
OF_MEMORY = [sleeping_machine]

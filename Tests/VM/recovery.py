"""Recovery from silent controllers, renumbered adapters and clock steps."""

import time

import clock
import guest
from guest import Agent, Controllers, Subscriber
from guest import check_numbers, check_stream, expect, is_deaf, known_adapters, wait_for
from hci_monitor import HCIMonitor

UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
REFERENCES = [{"uuid": UUID, "major": 1, "minor": minor} for minor in (1, 4)]


def radio_at_shelf(address, *options, family="legacy"):
    """A virtual controller with the given address, at the shelf with the beacons."""
    return Controllers(
        f"{guest.BIN}/virtual-radio", "--scenario", guest.SCENARIO, "--gateway", "shelf",
        "--vhci", "/dev/vhci", "--family", family, "--address", address, *options)


def states(subscriber):
    return [message["state"] for message in subscriber.messages("status")]


def silent_controllers_recover():
    """Two controllers answer commands and report no advertising until a reset, by the kernel and by the agent. Another
    program resets a third one before its agent starts, so that its event mask is empty."""
    fault = ("--fault", "scan+5:silent")
    with HCIMonitor() as monitor, radio_at_shelf("02:00:5e:00:53:12", family="extended") as masked, \
            Subscriber("masked") as third:
        [adapter] = masked.adapters
        adapter.command("0x03", "0x0003", "")
        with Agent("masked", adapter.name) as agent:
            silent_controllers(fault)
            wait_for(third.hearing, "reception of the third")
            expect(len(agent.says("setting its event masks")) == 1, "not exactly one log line")
            expect(agent.end() == 0, "the third did not end cleanly")
        check_stream(third)
        for opcode in (0x0C01, 0x2001):
            kernels, *_, ours = [int.from_bytes(c.parameters, "little")
                                 for c in monitor.commands(adapter) if c.opcode == opcode]
            expect(kernels & ~ours == 0, f"{kernels:x} was the kernel's, {ours:x} takes from it")


def silent_controllers(fault):
    with radio_at_shelf("02:00:5e:00:53:10", *fault) as shared, \
            radio_at_shelf("02:00:5e:00:53:11", *fault, family="extended") as own, \
            Subscriber("shared") as one, Subscriber("own") as other:
        own.adapters[0].down()
        settings = {"radio": {"reference": REFERENCES}}
        with Agent("shared", shared.adapters[0].name, **settings) as first, \
                Agent("own", own.adapters[0].name + ":user", **settings) as second:
            for subscriber in (one, other):
                wait_for(lambda: any(map(is_deaf, subscriber.batches())), "a deaf window")
                wait_for(lambda: "degraded" in states(subscriber), "degraded")
                wait_for(lambda: states(subscriber)[-1] == "online", "online again")
                now = subscriber.batches()[-1]["window"]["end"]
                wait_for(lambda: len(subscriber.hearing(now)) >= 3, "sightings again")
            for agent, remedy, word in [(first, "adapter off and on", "powerCycle"),
                                        (second, "resetting the controller", "reset")]:
                expect(len(agent.says("scan off and on")) == 1, "the scan was not switched first")
                expect(len(agent.says(remedy)) == 1, f"not exactly one log line about {remedy}")
                expect(len(agent.says(f"works again.*{word}")) == 1, f"not {word} has helped")
            for subscriber, step in [(one, "powerCycles"), (other, "resets")]:
                # The agent publishes health every 30 s.
                counted = lambda: [h for h in subscriber.messages("health") if h["radio"][step] == 1]
                [health] = wait_for(lambda: counted()[:1], "health")
                expect(health["radio"]["probes"] == 1 and health["radio"]["rescans"] == 1,
                       f"other steps: {health['radio']}")
            expect([first.end(), second.end()] == [0, 0], "an agent did not end cleanly")
        for subscriber in (one, other):
            check_stream(subscriber)
            expect(states(subscriber) == ["online", "degraded", "online", "offline"],
                   f"status: {states(subscriber)}")


def adapter_comes_back_under_another_index():
    ours, others = "02:00:5e:00:53:20", "02:00:5e:00:53:21"
    with Subscriber("till-1") as subscriber:
        with radio_at_shelf(ours) as radio:
            [adapter] = radio.adapters
            agent = Agent("till-1", adapter.name)
            wait_for(lambda: len(subscriber.hearing()) >= 2, "sightings")
        with agent:
            agent.until(lambda: agent.says("was removed|there is no adapter"), "a log line about the removal")
            wait_for(lambda: adapter.name not in known_adapters(), "the adapter to go")
            with radio_at_shelf(others) as stranger:
                expect(stranger.adapters[0].name == adapter.name, "the index was not free")
                wait_for(lambda: states(subscriber)[-1] == "degraded", "degraded")
                with radio_at_shelf(ours) as again:
                    [back] = again.adapters
                    expect(back.name != adapter.name, "it has its old index")
                    now = int(time.time() * 1000)
                    wait_for(lambda: len(subscriber.hearing(now)) >= 3, "sightings again")
                    expect(len(agent.says(f"another number.*{back.name}")) == 1,
                           "not exactly one log line about the new number")
                    wait_for(lambda: states(subscriber)[-1] == "online", "online")
                    [reported] = subscriber.reported()[-1:]
                    expect(reported["radio"]["address"] == ours, f"another radio: {reported}")
                    check_stream(subscriber)


def clock_set_by_hours():
    """A clock step ends a window of ten minutes; the next window uses the new time."""
    with radio_at_shelf("02:00:5e:00:53:30") as radio, Subscriber("till-1") as subscriber:
        settings, begun = {"report": {"windowMs": 600_000}}, clock.boot()
        with Agent("till-1", radio.adapters[0].name, **settings) as agent:
            agent.until(lambda: agent.says("scanning"), "the agent to scan")
            for steps, hours in enumerate((+3, -7, +4), 1):
                time.sleep(2)
                set_clock(agent, hours, steps)
                clock.discipline()
                # Only the step ends such a window before the limit.
                wait_for(lambda: len(subscriber.hearing()) >= steps, f"window {steps}")
            passed = clock.boot() - begun
            expect(len(agent.says("clock was set")) == 3, "the log does not have each step once")
            expect(agent.end() == 0, "did not end cleanly")
        check_numbers(subscriber)
        for batch in subscriber.hearing()[:3]:
            length = batch["window"]["end"] - batch["window"]["start"]
            expect(0 < length <= passed, f"a window of {length} ms in {passed:.0f} ms")


def set_clock(agent, hours, steps):
    """Steps the clock, the agent's `steps`th time, and waits until the agent has noticed it: two steps at once are one."""
    clock.step(hours)
    agent.until(lambda: len(agent.says("clock was set")) >= steps, f"a log line about step {steps}")


SCENARIOS = [
    silent_controllers_recover,
    adapter_comes_back_under_another_index,
    clock_set_by_hours,
]

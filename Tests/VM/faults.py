"""Faults of the network and the clock. Each number must arrive or be declared lost, repetitions must be identical, and
each report of the radio must be counted once."""

import statistics
import time

import clock
import guest
from received import ReceivedMessages
from guest import PORT, Agent, Broker, Subscriber
from guest import deaf_since, expect, wait_for
from hci_monitor import HCIMonitor
from kernel_trace import RAW, KernelTrace
from recovery import radio_at_shelf, set_clock, states
from network import FAR, INSIDE, Network

SLOW = "delay 300ms 100ms loss 8% reorder 25% 50%".split()
KEEP_ALIVE = 5  # seconds, the shortest


class FaultRun:
    """The faults of a gateway, its recovery times, and its received messages."""

    def __init__(self, name, subscriber):
        self.name, self.subscriber = name, subscriber
        self.faults, self.recoveries = 0, []

    def received(self, steps=False):
        received = ReceivedMessages(steps=steps)
        for payload in self.subscriber.payloads("sightings"):
            received.add(payload)
        return received

    def recovered(self, seconds):
        self.faults += 1
        self.recoveries.append(seconds)

    def close(self, steps=False):
        """The received messages, which must have no faults."""
        received = self.received(steps)
        faults = received.faults()
        expect(not faults, f"{self.name}: {'; '.join(faults[:3])}")
        return received

    def tell(self, received, more):
        """Adds a row to the summary, as Tests/Faults does, and prints a line with more details."""
        figures, times = received.figures(), self.recoveries
        row = [self.name, self.faults] + [figures[name] for name in (
            "messages", "lost", "merged", "duplicates")]
        row.append(f"{statistics.median(times):.1f} / {max(times):.1f} s")
        guest.ROWS.append("| " + " | ".join(str(cell) for cell in row) + " |")
        print(f"      {self.name}: {more}", flush=True)

    def has_all(self, steps=False):
        """Whether all sequence numbers have arrived."""
        return not self.received(steps).faults()


def end_all(radio, agent, subscriber):
    """Ends the radio before the agent, so that the agent reads all reports."""
    ended = time.time() * 1000
    expect(radio.end() == 0, "the virtual radio failed")
    deaf_since(subscriber, ended)
    expect(agent.end() == 0, "the agent did not end cleanly")
    wait_for(lambda: states(subscriber)[-1] == "offline", "the status offline")


def check_counts(received, monitor, adapter):
    """Each report that the kernel delivered was counted once.

    The radio's own tally may have one more: the kernel discards reports that it has not processed when the adapter is
    removed (Linux, hci_unregister_dev)."""
    trace = KernelTrace(monitor, RAW, adapter)
    delivered, counted = {beacon: len(times) for beacon, times in trace.times.items()}, dict(received.counts())
    dropped = sum(s.value.get("radio", {}).get("dropped", 0)
                  for session in received.sessions.values() for s in session.messages)
    expect(dropped == 0 and counted == delivered,
           f"counted {counted} of {delivered}, {dropped} packets dropped")
    return sum(counted.values())


def network_is_slow_and_cut():
    """Delay, loss and reordering; then cuts that are shorter and longer than the keep-alive."""
    with Network() as network, Broker(PORT + 2, *INSIDE, host="0.0.0.0"), HCIMonitor() as monitor, \
            Subscriber("far", PORT + 2, *INSIDE) as subscriber, \
            radio_at_shelf("02:00:5e:00:53:40") as radio:
        fault_run = FaultRun("network slow, lossy, cut (VM)", subscriber)
        mqtt = {"host": FAR, "port": PORT + 2, "keepAliveSeconds": KEEP_ALIVE}
        with Agent("far", radio.adapters[0].name, mqtt=mqtt) as agent:
            wait_for(lambda: len(subscriber.hearing()) >= 2, "sightings")
            network.disturb(*SLOW)
            time.sleep(15)
            wait_for(lambda: network.lost() > 0, "netem to lose a packet")
            network.clear()
            recover(fault_run)
            for seconds in (KEEP_ALIVE - 2, 2 * KEEP_ALIVE + 3):
                network.cut()
                time.sleep(seconds)
                network.connect()
                recover(fault_run)
            wait_for(fault_run.has_all, "the stored batches")
            end_all(radio, agent, subscriber)
        received = fault_run.close()
        reports = check_counts(received, monitor, radio.adapters[0])
        fault_run.tell(received, f"{reports} reports, each counted once")


def recover(fault_run):
    """Waits for a window that ended after this moment."""
    now, start = time.time() * 1000, time.monotonic()
    wait_for(lambda: fault_run.subscriber.batches()[-1:][0]["window"]["end"] > now, "new windows")
    fault_run.recovered(time.monotonic() - start)


def clock_is_wrong_through_an_outage():
    """The clock is unsynchronised and hours off, is set after an outage, and steps in both directions later."""
    try:
        clock_is_wrong(truth=time.time() * 1000 - clock.boot())
    finally:
        clock.discipline()


def clock_is_wrong(truth):
    clock.step(-5)
    clock.neglect()
    remembering = {"host": "127.0.0.1", "remembers": True}
    broker = Broker(PORT + 2, **remembering)
    with Subscriber("till-1", PORT + 2, stays=True) as subscriber, HCIMonitor() as monitor, \
            radio_at_shelf("02:00:5e:00:53:41") as radio:
        fault_run, begun = FaultRun("clock wrong and set by hours, with an outage (VM)", subscriber), clock.boot()
        with Agent("till-1", radio.adapters[0].name, port=PORT + 2) as agent:
            agent.until(lambda: agent.says("scanning"), "the agent to scan")
            scanning = clock.boot()
            wait_for(lambda: clocks(subscriber)[-1] == "unsynced", "a status with a bad clock")
            time.sleep(3)
            broker.end()
            time.sleep(5)
            set_clock(agent, +5, 1)
            clock.discipline()
            good = clock.boot()
            time.sleep(2)
            broker = Broker(PORT + 2, **remembering)
            with broker:
                synced = lambda: [b for b in subscriber.batches() if b["clock"] == "synced"]
                wait_for(synced, "windows with a good clock")
                fault_run.recovered((clock.boot() - good) / 1000 - 2)
                wait_for(lambda: clocks(subscriber)[-1] == "synced", "a status with a good clock")
                # The agent stamps the backlog when it sends it.
                wait_for(lambda: fault_run.has_all(steps=True), "the stored batches")
                clock.neglect()
                wait_for(lambda: clocks(subscriber)[-1] == "unsynced", "a status with a bad clock")
                for steps, hours in enumerate((+3, -7, +4), 2):
                    set_clock(agent, hours, steps)
                    fault_run.faults += 1
                clock.discipline()
                wait_for(lambda: clocks(subscriber)[-1] == "synced", "a good clock again")
                time.sleep(1)
                end_all(radio, agent, subscriber)
                received = fault_run.close(steps=True)
        expect(clocks(subscriber) == ["unsynced", "synced", "unsynced", "synced"],
               f"status: {clocks(subscriber)}")
        expect(len(agent.says("clock was set")) == 4, "the log does not have each step once")
        [session] = received.sessions.values()
        check_times(session.messages, truth + begun, truth + scanning)
        restamped = [m for m in session.messages if m.value["clock"] == "synced"
                     and m.end <= truth + good]
        expect(len(restamped) >= 3, f"{len(restamped)} windows of the outage were stamped anew")
        reports = check_counts(received, monitor, radio.adapters[0])
        fault_run.tell(received, f"{reports} reports, each counted once; "
                   f"{len(restamped)} windows stamped anew")


def clocks(subscriber):
    """The clock state in the status messages, without repetitions."""
    said = [m["clock"] for m in subscriber.messages("status") if m["state"] != "offline"]
    return [c for index, c in enumerate(said) if index == 0 or c != said[index - 1]] or [None]


def check_times(messages, earliest, latest):
    """Windows follow each other from the first scan on; synchronised ones have their true time. The last one is
    synchronised."""
    at = messages[-1].end
    for message in reversed(messages):
        length = message.end - message.start
        expect(0 <= length <= 10_000, f"{message}: a window of {length} ms")
        if message.value["clock"] == "synced":
            expect(abs(message.end - at) <= 5, f"{message} ended at {at}")
            at = message.end
        at -= length
    expect(earliest <= at <= latest, f"the windows begin at {at}, not in {earliest}…{latest}")


SCENARIOS = [
    network_is_slow_and_cut,
    clock_is_wrong_through_an_outage,
]

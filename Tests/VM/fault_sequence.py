"""Random sequences of adapter faults, determined by the seed. At the end, the gateway's counts must equal the reports in
the kernel's HCI monitor."""

import random
import signal
import subprocess
import threading
import time

import guest
from detachable_controller import DetachableController
from kernel_trace import RAW, USER, KernelTrace
from faults import FaultRun
from guest import Agent, Layer, Program, Subscriber
from guest import deaf_since, expect, is_deaf, run, wait_for
from recovery import REFERENCES, states
from hci_monitor import HCIMonitor

EDGE = 20  # ms: the clocks of agent and monitor
WAKE = 500  # ms: an agent that wakes later notices that it stood still
LONGEST_DELAY = 1000  # ms: of the virtual radio on a busy machine; beacons advertise ten times a second


class FaultSequence(FaultRun):
    """A gateway with a detachable controller, and the faults that a thread injects, in random order in the long form."""

    strangers = threading.Lock()

    def __init__(self, name, seed, agent, radio, subscriber, stranger):
        super().__init__(name, subscriber)
        self.agent, self.radio, self.stranger = agent, radio, stranger
        self.chance = random.Random(f"{seed} {name}")
        self.happened, self.failure, self.minor = [], None, 0

    def faults_of(self):
        raise NotImplementedError

    def begin(self, seconds):
        self.thread = threading.Thread(target=self.run, args=(time.monotonic() + seconds,))
        self.thread.start()

    def run(self, deadline):
        try:
            faults = []
            # Each fault at least once, and each once before any is repeated.
            while self.faults < len(self.faults_of()) or time.monotonic() < deadline:
                faults = faults or self.faults_of()[::-1]
                if guest.SOAK:
                    self.chance.shuffle(faults)
                self.inject(faults.pop())
                time.sleep(self.chance.uniform(0, 1.5))
        except Exception as error:
            self.failure = error

    def inject(self, fault):
        begun = time.time() * 1000
        fault()
        ended = time.time() * 1000
        self.happened.append((fault.__name__, begun, ended))
        again = lambda: self.subscriber.hearing(ended)
        [first, *_] = wait_for(again, f"{self.name} to hear again after {fault.__name__}")
        self.recovered(max(0, self.hearing_since(first) - ended) / 1000)

    def hearing_since(self, window):
        """The start of the first window of the uninterrupted reception that the window is part of."""
        begin = window["window"]["start"]
        for batch in reversed(self.subscriber.batches()):
            if batch["window"]["end"] == begin and not is_deaf(batch):
                begin = batch["window"]["start"]
        return begin

    def hardware_error(self):
        self.radio.send_hardware_error()

    def stalled(self):
        """A new setting causes a command, and the controller answers nothing until the agent detects the stall."""
        begun = time.time() * 1000
        self.radio.stall(60)
        self.minor += 1
        self.layer.publish(advertise={**self.beacon, "minor": self.minor})
        noticed = lambda: any(is_deaf(batch) and batch["window"]["end"] >= begun
                              for batch in self.subscriber.batches())
        wait_for(noticed, f"{self.name} to notice a stall")
        self.radio.stall(0)

    def detached(self):
        """The adapter returns, sometimes with another number because another controller has its old one."""
        self.radio.detach()
        time.sleep(self.chance.uniform(0.3, 3))
        # The gateways share the other controller.
        with self.strangers:
            if self.stranger.forwarder:
                self.stranger.detach()
            else:
                self.stranger.attach()
        self.attached_at = time.time() * 1000
        self.radio.attach()
        self.make_ready()

    def check(self, monitor, channel):
        """Compares the received messages with the kernel's trace."""
        received = self.close()
        trace, counts = KernelTrace(monitor, channel), received.counts()
        for beacon in set(trace.times) | set(counts):
            least, most = trace.bounds(beacon)
            expect(least <= counts[beacon] <= most,
                   f"{self.name}: {counts[beacon]} of {beacon}, not {least} to {most}")
        stalls = [(b, e) for name, b, e in self.happened if name == "stalled"]
        [session] = received.sessions.values()
        blind = 0
        for message, following in zip(session.messages, session.messages[1:] + [None]):
            if is_deaf(message.value):
                continue
            start, end = message.start, message.end
            expect(trace.covers(start, end), f"{self.name}: {message} reports reception without an open socket")
            if not message.value["sightings"]:
                missed = trace.count_between(start + EDGE, end - EDGE)
                # An agent that wakes late reads of the scan's end before the reports, which are then in the deaf window.
                if end - start <= WAKE and following and is_deaf(following.value) and following.start == end:
                    missed = max(0, missed - following.value["radio"]["beacons"])
                expect(missed == 0, f"{self.name}: {message} is empty, but the kernel delivered {missed} reports")
                # A busy machine can delay the virtual radio, but not for long.
                if end - start > LONGEST_DELAY:
                    expect(any(b - 1000 < end and start < e + 1000 for b, e in stalls),
                           f"{self.name}: {message} is empty although beacons advertise")
                blind += end - start
        for name, begun, ended in self.happened:
            deaf = any(is_deaf(m.value) and m.start <= ended + 2000 and begun - 1000 <= m.end
                       for m in session.messages)
            expect(deaf, f"{self.name}: no deaf window after {name}")
        said = states(self.subscriber)
        expect(said[0] == "online" and "degraded" in said, f"{self.name}: status {said}")
        worst = max(zip(self.recoveries, self.happened), default=None)
        self.tell(received, f"{sum(counts.values())} reports of {trace.total} that the "
                  f"kernel delivered; {blind / 1000:.1f} s of unnoticed stalls; slowest after "
                  f"{worst[1][0]}")


class SharedAdapter(FaultSequence):
    """A gateway that shares its adapter with other programs."""

    beacon = {"uuid": "3a6f0c52-9b1d-4e87-8f20-5c7d1e9b6a04", "major": 50}

    def faults_of(self):
        return [self.hardware_error, self.stalled, self.detached, self.down, self.reset,
                self.hci_reset, self.scan_off, self.other_scan]

    def make_ready(self):
        self.radio.adapter.up()

    def down(self):
        self.radio.adapter.down()
        time.sleep(self.chance.uniform(0, 4))
        self.radio.adapter.up()

    def reset(self):
        self.radio.adapter.reset()

    def hci_reset(self):
        """HCI Reset by another program, unknown to the kernel."""
        self.radio.adapter.command("0x03", "0x0003", "")

    def scan_off(self):
        self.radio.adapter.command("0x08", "0x000c", "00 00")

    def other_scan(self):
        """Another program starts its own scan and disables it at its end."""
        self.scan_off()
        scan = ("hcitool", "-i", self.radio.adapter.name, "lescan", "--passive", "--duplicates")
        with Program(*scan) as other:
            time.sleep(1.5)
            other.end(signal.SIGINT)


class OwnAdapter(FaultSequence):
    """A gateway with exclusive use of its adapter (user channel)."""

    beacon = {"uuid": "3a6f0c52-9b1d-4e87-8f20-5c7d1e9b6a04", "major": 51}

    def faults_of(self):
        return [self.hardware_error, self.stalled, self.detached]

    def make_ready(self):
        # Without the check of adapter.down(): the agent may take the adapter before it.
        taken = lambda: self.subscriber.hearing(self.attached_at)
        wait_for(lambda: self.is_down() or taken(), "the adapter to be down")

    def is_down(self):
        name = self.radio.adapter.name
        subprocess.run(["hciconfig", name, "down"], capture_output=True)
        return "DOWN" in run("hciconfig", name).split()


def random_adapter_faults():
    """A gateway on the raw channel with legacy commands, and one on the user channel with extended commands."""
    seed = guest.SEED
    print(f"      seed {seed}", flush=True)
    with HCIMonitor() as monitor, Subscriber("shared") as one, Subscriber("own") as other, \
            DetachableController("02:00:5e:00:53:50") as first, \
            DetachableController("02:00:5e:00:53:51", "extended") as second, \
            DetachableController("02:00:5e:00:53:52", "legacy", "counter") as stranger, \
            Layer("shared") as shared_layer, Layer("own") as own_layer:
        stranger.detach()
        first.adapter.up()
        settings = {"radio": {"reference": REFERENCES, "powerOn": False}}
        second.adapter.up()
        second.adapter.down()
        with Agent("shared", first.adapter.name, **settings) as raw, \
                Agent("own", second.adapter.name + ":user", **settings) as user:
            sequences = [SharedAdapter("shared adapter, eight kinds of fault (VM)", seed, raw, first, one, stranger),
                         OwnAdapter("adapter of its own, three kinds of fault (VM)", seed, user, second, other, stranger)]
            for sequence, layer in zip(sequences, (shared_layer, own_layer)):
                sequence.layer = layer
                wait_for(lambda: len(sequence.subscriber.hearing()) >= 2, "sightings")
            for sequence in sequences:
                sequence.begin(35 if guest.SOAK else 0)
            for sequence in sequences:
                sequence.thread.join()
                if sequence.failure:
                    raise sequence.failure
            for sequence in sequences:
                wait_for(lambda: states(sequence.subscriber)[-1] == "online", "online again")
                ended = time.time() * 1000
                sequence.radio.detach()
                deaf_since(sequence.subscriber, ended)
            for sequence in sequences:
                expect(sequence.agent.end() == 0, "an agent did not end cleanly")
                wait_for(lambda: states(sequence.subscriber)[-1] == "offline", "the status offline")
        for sequence, channel in zip(sequences, (RAW, USER)):
            sequence.check(monitor, channel)


SCENARIOS = [random_adapter_faults]

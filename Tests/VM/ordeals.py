"""Ordeals: radios that suffer one fault after the other, in an order that is drawn from the seed. At the end the account
must close against what the kernel's monitor saw."""

import random
import signal
import subprocess
import threading
import time

import guest
from cable import Cable
from kernel_trace import RAW, USER, KernelTrace
from faults import Trial
from guest import Agent, Layer, Program, Subscriber
from guest import expect, is_deaf, run, wait_for
from mending import REFERENCES, states
from hci_monitor import HCIMonitor

BLINK = 250  # ms: a window so short may be empty though beacons advertise ten times a second


class Ordeal(Trial):
    """One gateway on a cable, and all that can happen to it."""

    def __init__(self, name, seed, agent, radio, subscriber, stranger):
        super().__init__(name, subscriber)
        self.agent, self.radio, self.stranger = agent, radio, stranger
        self.chance = random.Random(f"{seed} {name}")
        self.happened, self.failure, self.minor = [], None, 0

    def faults_of(self):
        raise NotImplementedError

    def begin(self, seconds):
        self.thread = threading.Thread(target=self.suffer, args=(time.monotonic() + seconds,))
        self.thread.start()

    def suffer(self, deadline):
        try:
            faults = []
            # Each once before one comes again, and once at least.
            while self.faults < len(self.faults_of()) or time.monotonic() < deadline:
                faults = faults or self.chance.sample(self.faults_of(), len(self.faults_of()))
                self.happen(faults.pop())
                time.sleep(self.chance.uniform(0, 1.5))
        except Exception as error:
            self.failure = error

    def happen(self, fault):
        begun = time.time() * 1000
        fault()
        ended = time.time() * 1000
        self.happened.append((fault.__name__, begun, ended))
        again = lambda: self.subscriber.hearing(ended)
        [first, *_] = wait_for(again, f"{self.name} to hear again after {fault.__name__}")
        self.recovered(max(0, self.hearing_since(first) - ended) / 1000)

    def hearing_since(self, window):
        """When the stretch of hearing began that the window is in."""
        begin = window["window"]["start"]
        for batch in reversed(self.subscriber.batches()):
            if batch["window"]["end"] == begin and not is_deaf(batch):
                begin = batch["window"]["start"]
        return begin

    def hardware_error(self):
        self.radio.fail()

    def stalled(self):
        """Until a command, which a new setting brings about, has not been answered in time."""
        begun = time.time() * 1000
        self.radio.stall(60)
        self.minor += 1
        self.layer.publish(advertise={**self.beacon, "minor": self.minor})
        noticed = lambda: any(is_deaf(batch) and batch["window"]["end"] >= begun
                              for batch in self.subscriber.batches())
        wait_for(noticed, f"{self.name} to notice a stall")
        self.radio.stall(0)

    def unplugged(self):
        """And back, now and then under another number, which somebody else has taken."""
        self.radio.unplug()
        time.sleep(self.chance.uniform(0.3, 3))
        if self.stranger.carrier:
            self.stranger.unplug()
        else:
            self.stranger.plug()
        self.plugged = time.time() * 1000
        self.radio.plug()
        self.make_ready()

    def check(self, monitor, channel):
        """Closes the account, and holds it against what the kernel handed over."""
        account = self.close()
        trace, counts = KernelTrace(monitor, channel), account.counts()
        for beacon in set(trace.times) | set(counts):
            least, most = trace.bounds(beacon)
            expect(least <= counts[beacon] <= most,
                   f"{self.name}: {counts[beacon]} of {beacon}, not {least} to {most}")
        stalls = [(b, e) for name, b, e in self.happened if name == "stalled"]
        [session] = account.sessions.values()
        blind = 0
        for message in session.messages:
            if is_deaf(message.value):
                continue
            start, end = message.start, message.end
            expect(trace.covers(start, end), f"{self.name}: {message} hears without a socket")
            if not message.value["sightings"] and end - start > BLINK:
                expect(any(b - 1000 < end and start < e + 1000 for b, e in stalls),
                       f"{self.name}: {message} is empty, but the store was not")
                blind += end - start
        for name, begun, ended in self.happened:
            deaf = any(is_deaf(m.value) and m.start <= ended + 2000 and begun - 1000 <= m.end
                       for m in session.messages)
            expect(deaf, f"{self.name}: nothing was deaf after {name}")
        said = states(self.subscriber)
        expect(said[0] == "online" and "degraded" in said, f"{self.name}: status {said}")
        worst = max(zip(self.recoveries, self.happened), default=None)
        self.tell(account, f"{sum(counts.values())} reports of {trace.total} that the "
                  f"kernel handed over; {blind / 1000:.1f} s of unnoticed stalls; slowest after "
                  f"{worst[1][0]}")


class Shared(Ordeal):
    """One whose adapter others use, too."""

    beacon = {"uuid": "3a6f0c52-9b1d-4e87-8f20-5c7d1e9b6a04", "major": 50}

    def faults_of(self):
        return [self.hardware_error, self.stalled, self.unplugged, self.down, self.reset,
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
        """Past the kernel, which knows nothing of it."""
        self.radio.adapter.command("0x03", "0x0003", "")

    def scan_off(self):
        self.radio.adapter.command("0x08", "0x000c", "00 00")

    def other_scan(self):
        """Somebody who takes the scan, keeps it for a while, and switches it off at the end."""
        self.scan_off()
        scan = ("hcitool", "-i", self.radio.adapter.name, "lescan", "--passive", "--duplicates")
        with Program(*scan) as other:
            time.sleep(1.5)
            other.end(signal.SIGINT)


class Own(Ordeal):
    """One that has its adapter to itself."""

    beacon = {"uuid": "3a6f0c52-9b1d-4e87-8f20-5c7d1e9b6a04", "major": 51}

    def faults_of(self):
        return [self.hardware_error, self.stalled, self.unplugged]

    def make_ready(self):
        # Not adapter.down(), which would look whether it is: the agent may be quicker.
        taken = lambda: self.subscriber.hearing(self.plugged)
        wait_for(lambda: self.is_down() or taken(), "the adapter to be down")

    def is_down(self):
        name = self.radio.adapter.name
        subprocess.run(["hciconfig", name, "down"], capture_output=True)
        return "DOWN" in run("hciconfig", name).split()


def radios_suffer_at_random():
    """One on the raw channel, with the legacy commands, and one of its own, with the extended ones."""
    seed = guest.SEED
    print(f"      seed {seed}", flush=True)
    with HCIMonitor() as monitor, Subscriber("shared") as one, Subscriber("own") as other, \
            Cable("02:00:5e:00:53:50") as first, \
            Cable("02:00:5e:00:53:51", "extended") as second, \
            Cable("02:00:5e:00:53:52", "legacy", "counter") as stranger, \
            Layer("shared") as shared_layer, Layer("own") as own_layer:
        stranger.unplug()
        first.adapter.up()
        settings = {"radio": {"reference": REFERENCES}}
        second.adapter.up()
        second.adapter.down()
        with Agent("shared", first.adapter.name, **settings) as raw, \
                Agent("own", second.adapter.name + ":user", **settings) as user:
            ordeals = [Shared("shared adapter, eight kinds of fault (VM)", seed, raw, first, one, stranger),
                       Own("adapter of its own, three kinds of fault (VM)", seed, user, second, other, stranger)]
            for ordeal, layer in zip(ordeals, (shared_layer, own_layer)):
                ordeal.layer = layer
                wait_for(lambda: len(ordeal.subscriber.hearing()) >= 2, "sightings")
            for ordeal in ordeals:
                ordeal.begin(35)
            for ordeal in ordeals:
                ordeal.thread.join()
                if ordeal.failure:
                    raise ordeal.failure
            for ordeal in ordeals:
                wait_for(lambda: states(ordeal.subscriber)[-1] == "online", "online again")
                ordeal.radio.unplug()
                wait_for(lambda: is_deaf(ordeal.subscriber.batches()[-1]), "a last deaf window")
            for ordeal in ordeals:
                expect(ordeal.agent.end() == 0, "an agent did not end cleanly")
                wait_for(lambda: states(ordeal.subscriber)[-1] == "offline", "its last word")
        for ordeal, channel in zip(ordeals, (RAW, USER)):
            ordeal.check(monitor, channel)


SCENARIOS = [radios_suffer_at_random]

"""The testbed of a scenario, and the scenario's results."""

import json
import signal
import statistics
import tempfile
import threading

import processes
from received import ReceivedMessages
from processes import Broker, Gateway
from mqtt import Subscriber


class Results:
    """The counts and recovery times of a scenario."""

    def __init__(self, scenario):
        self.name, self.title = scenario.__name__, scenario.__doc__
        self.faults, self.recoveries, self.skipped, self.note = 0, [], None, ""
        self.messages = self.lost = self.duplicates = self.merged = 0
        self.lock = threading.Lock()

    def fault(self):
        with self.lock:
            self.faults += 1

    def recovered(self, seen, since):
        """Records the time from the fault's end (ms since 1970) to the first new message."""
        self.recoveries.append(seen.at - since / 1000)

    def add(self, received):
        figures = received.figures()
        self.messages += figures["messages"]
        self.lost += figures["lost"]
        self.duplicates += figures["duplicates"]
        self.merged += figures["merged"]

    @property
    def median(self):
        return statistics.median(self.recoveries) if self.recoveries else None

    @property
    def row(self):
        times = f"{self.median:.1f} / {max(self.recoveries):.1f} s" if self.recoveries else "–"
        numbers = [self.faults, self.messages, self.lost, self.merged, self.duplicates]
        return f"| {self.title} | " + " | ".join(f"{n:,}" for n in numbers) + f" | {times} |"

    def __str__(self):
        times = f"{self.median:.2f}/{max(self.recoveries):.2f} s" if self.recoveries else "–"
        return (f"{self.faults} faults, {self.messages} messages, {self.lost} lost and declared, "
                f"{self.duplicates} duplicates, {self.merged} merged, recovery {times}{self.note}")


class Testbed:
    """A broker, its subscriber, and the gateways of one scenario."""

    def __init__(self, remembers=False):
        self.broker = Broker(tempfile.mkdtemp(prefix="broker-", dir=processes.TEMP), remembers)
        self.subscriber = Subscriber(self.broker.port)
        self.gateways = []

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        for gateway in self.gateways:
            gateway.close()
            if kind:
                for line in gateway.agent.lines[-5:] if gateway.agent else []:
                    print(f"      {gateway.id}: {line[:200]}", flush=True)
        self.broker.program.end(signal.SIGKILL)

    def gateway(self, *arguments, **options):
        self.gateways.append(Gateway(self.broker, *arguments, **options))
        return self.gateways[-1]

    def in_parallel(self, work):
        """Calls `work` with each gateway, each in its own thread; raises the first error."""
        errors = []

        def one(gateway):
            try:
                work(gateway)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=one, args=(gateway,)) for gateway in self.gateways]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]

    def seen(self, gateway, topic="sightings"):
        name = f"sightline/v1/faults/{gateway.id}/{topic}"
        return [seen for seen in list(self.subscriber.seen) if seen.topic == name]

    def live_after(self, gateway, moment):
        """Waits for the first message whose window ends after `moment` (ms since 1970)."""
        name = f"sightline/v1/faults/{gateway.id}/sightings"

        def is_live(seen):
            if seen.topic != name or seen.at * 1000 < moment:
                return False
            return json.loads(seen.payload)["window"]["end"] > moment

        return self.subscriber.wait(is_live, f"a new message of {gateway.id}")

    def received(self, results):
        """Each gateway with all its received messages."""
        self.subscriber.barrier()
        for gateway in self.gateways:
            received = ReceivedMessages()
            for seen in self.seen(gateway):
                received.add(seen.payload, seen.at)
            results.add(received)
            yield gateway, received

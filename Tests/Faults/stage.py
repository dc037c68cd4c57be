"""Where a scenario plays, and what it comes to."""

import json
import signal
import statistics
import tempfile
import threading

import bench
from account import Account
from bench import Broker, Gateway
from mqtt import Subscriber


class Figures:
    """What a scenario comes to."""

    def __init__(self, scenario):
        self.name, self.title = scenario.__name__, scenario.__doc__
        self.faults, self.recoveries, self.skipped, self.note = 0, [], None, ""
        self.messages = self.lost = self.duplicates = self.merged = 0
        self.lock = threading.Lock()

    def fault(self):
        with self.lock:
            self.faults += 1

    def recovered(self, seen, since):
        """There was news, so long after the fault's end (ms of the clock)."""
        self.recoveries.append(seen.at - since / 1000)

    def add(self, account):
        figures = account.figures()
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


class Stage:
    """A broker, its subscriber, and the gateways of one scenario."""

    def __init__(self, remembers=False):
        self.broker = Broker(tempfile.mkdtemp(prefix="broker-", dir=bench.TEMP), remembers)
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
        """Does something with each gateway, each in a thread; fails with the first that does."""
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

    def live_after(self, gateway, moment, seconds=30):
        """Waits for the first message about a time after the moment (ms of the clock)."""
        name = f"sightline/v1/faults/{gateway.id}/sightings"

        def is_live(seen):
            if seen.topic != name or seen.at * 1000 < moment:
                return False
            return json.loads(seen.payload)["window"]["end"] > moment

        return self.subscriber.wait(is_live, f"news of {gateway.id}", seconds)

    def accounts(self, figures):
        """What each gateway's messages come to, when all have come."""
        self.subscriber.barrier()
        for gateway in self.gateways:
            account = Account()
            for seen in self.seen(gateway):
                account.add(seen.payload)
            figures.add(account)
            yield gateway, account

"""Disk faults: a full disk, a read-only file system, and damaged bytes."""

import glob
import json
import os
import random
import subprocess
import tempfile
import time

import processes
from mqtt import LIMIT
from processes import expect
from testbed import Results, Testbed
from checks import check_exact, check_within


def disk_faults(options):
    """disk full, and read-only, during an outage"""
    results = Results(disk_faults)
    if "FAULTS_MAY_MOUNT" not in os.environ:
        results.skipped = "this machine permits no mount namespace (unshare -m, unshare -Urm)"
        return results
    with Testbed() as testbed:
        for way in (Full, ReadOnly):
            folder = tempfile.mkdtemp(prefix="disk-", dir=processes.TEMP)
            run("mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "none", folder)
            testbed.gateway(state=folder).fault = way(folder)

        def inject_faults(gateway):
            gateway.start()
            testbed.live_after(gateway, processes.now())
            gateway.fault.prepare()
            gateway.proxy.shut()
            if gateway.fault.waits_for_file:
                wait_for(lambda: gateway.stored(), "the outbox's file")
            gateway.fault.begin()
            gateway.agent.says("the outbox cannot be written")
            # The agent publishes health every 30 s, and an overdue one with the next connection. The outage lasts
            # until then, because delivered batches free space on a full disk.
            time.sleep(max(0.0, 31 - (processes.now() - gateway.runs[-1].begun) / 1000))
            gateway.proxy.open()
            health = testbed.subscriber.wait(
                is_health(gateway, False), "health that says it is not durable")
            gateway.proxy.shut()
            gateway.fault.end()
            results.fault()
            gateway.agent.says("outbox writable again")
            begun = processes.now()
            gateway.proxy.open()
            results.recovered(testbed.live_after(gateway, begun), begun)
            testbed.subscriber.wait(
                lambda seen: is_health(gateway, True)(seen) and seen.at > health.at,
                "health that says it is durable again")
            gateway.drain()

        try:
            testbed.in_parallel(inject_faults)
            for gateway, received in testbed.received(results):
                expect(len(received.sessions) == 1, "the agent restarted")
                check_exact(gateway, received)
        finally:
            for gateway in testbed.gateways:
                gateway.close()
                subprocess.run(["umount", "-l", gateway.state])
    return results


class Full:
    waits_for_file = True

    def __init__(self, folder):
        self.path = f"{folder}/ballast"

    def prepare(self):
        pass

    def begin(self):
        with open(self.path, "wb", buffering=0) as file:
            try:
                while file.write(bytes(4096)) == 4096:
                    pass
            except OSError:
                pass

    def end(self):
        os.remove(self.path)


class ReadOnly:
    # A filesystem with a file that is open for writing can't be made read-only.
    waits_for_file = False

    def __init__(self, folder):
        self.folder = folder

    def prepare(self):
        run("mount", "-o", "remount,ro", self.folder)

    def begin(self):
        pass

    def end(self):
        run("mount", "-o", "remount,rw", self.folder)


def bytes_flipped(options):
    """bytes of the database flipped, while the agent runs or is stopped"""
    results = Results(bytes_flipped)
    with Testbed() as testbed:
        for spill in (100, 0, 100, 0):
            testbed.gateway(outbox={"spillAfterMs": spill, "backlogPerSecond": 200}, beacons=20)
        numbers = {gateway: index for index, gateway in enumerate(testbed.gateways)}

        def inject_faults(gateway):
            chance = random.Random(f"{options.seed} {numbers[gateway]}")
            gateway.start()
            for _ in range(100 if options.soak else 2):
                testbed.live_after(gateway, processes.now())
                gateway.proxy.shut()
                time.sleep(chance.uniform(0.5, 1.5))
                stops = chance.random() < 0.5
                if stops:
                    gateway.stop()
                flip(gateway.state, chance)
                if stops:
                    gateway.start()
                time.sleep(chance.uniform(0, 0.5))
                begun = processes.now()
                gateway.proxy.open()
                results.fault()
                results.recovered(testbed.live_after(gateway, begun), begun)
                # Some stored batches arrive in this time.
                time.sleep(chance.uniform(0, 1))
            gateway.drain()

        testbed.in_parallel(inject_faults)
        unknown = unknowing = 0
        for gateway, received in testbed.received(results):
            lost, files = check_within(gateway, received)
            unknown, unknowing = unknown + lost, unknowing + files
        if unknown:
            results.note = f"; {unknown} lost by count alone, {unknowing} files without a count"
    return results


def flip(folder, chance):
    """Changes 1 to 64 bytes of one of the outbox's files, anywhere."""
    paths = [path for path in sorted(glob.glob(f"{folder}/outbox.sqlite*"))
             if "damaged" not in path and not path.endswith("-shm")]
    if not paths:
        return
    path = chance.choice(paths)
    try:
        size = os.path.getsize(path)
        with open(path, "r+b", buffering=0) as file:
            for _ in range(min(size, chance.choice([1, 1, 4, 64]))):
                place = chance.randrange(size)
                file.seek(place)
                byte = file.read(1)
                if byte:
                    file.seek(place)
                    file.write(bytes([byte[0] ^ chance.randrange(1, 256)]))
    except FileNotFoundError:
        pass  # The agent delivered everything and deleted the file.


def is_health(gateway, durable):
    topic = f"sightline/v1/faults/{gateway.id}/health"

    def matches(seen):
        return seen.topic == topic and json.loads(seen.payload)["outbox"]["durable"] is durable

    return matches


def wait_for(condition, what):
    until = time.monotonic() + LIMIT
    while not condition():
        expect(time.monotonic() < until, f"timed out after {LIMIT} s: {what}")
        time.sleep(0.01)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    expect(done.returncode == 0, f"{' '.join(command)}: {done.stderr.strip()}")


SCENARIOS = [disk_faults, bytes_flipped]

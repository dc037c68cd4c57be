"""The disk: without room, read-only, and with bytes that are not what was written."""

import glob
import json
import os
import random
import subprocess
import tempfile
import time

import bench
from bench import expect
from stage import Figures, Stage
from truth import check_exact, check_within


def disk_in_trouble(options):
    """disk full, and read-only, during an outage"""
    figures = Figures(disk_in_trouble)
    if "FAULTS_MAY_MOUNT" not in os.environ:
        figures.skipped = "no mount namespace of our own here (unshare -m, unshare -Urm)"
        return figures
    with Stage() as stage:
        for way in (Full, ReadOnly):
            folder = tempfile.mkdtemp(prefix="disk-", dir=bench.TEMP)
            run("mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "none", folder)
            stage.gateway(state=folder).trouble = way(folder)

        def torment(gateway):
            gateway.start()
            stage.live_after(gateway, bench.now())
            gateway.trouble.prepare()
            gateway.relay.shut()
            if gateway.trouble.waits_for_file:
                wait_for(lambda: gateway.stored(), "the outbox's file")
            gateway.trouble.begin()
            gateway.agent.says("the outbox can't be written")
            # Health comes every 30 s, and as soon as there is a broker when it is overdue. Until then the outage goes
            # on: what is delivered makes room on a full disk.
            time.sleep(max(0.0, 31 - (bench.now() - gateway.runs[-1].begun) / 1000))
            gateway.relay.open()
            health = stage.subscriber.wait(
                is_health(gateway, False), "health that says it is not durable", 60)
            gateway.relay.shut()
            gateway.trouble.end()
            figures.fault()
            gateway.agent.says("the outbox can be written again", 90)
            begun = bench.now()
            gateway.relay.open()
            figures.recovered(stage.live_after(gateway, begun), begun)
            stage.subscriber.wait(
                lambda seen: is_health(gateway, True)(seen) and seen.at > health.at,
                "health that says it is durable again", 60)
            gateway.drain()

        try:
            stage.in_parallel(torment)
            for gateway, account in stage.accounts(figures):
                expect(len(account.sessions) == 1, "the agent did not run on")
                check_exact(gateway, account)
        finally:
            for gateway in stage.gateways:
                gateway.close()
                subprocess.run(["umount", "-l", gateway.state])
    return figures


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
    figures = Figures(bytes_flipped)
    with Stage() as stage:
        for spill in (100, 0, 100, 0):
            stage.gateway(outbox={"spillAfterMs": spill, "backlogPerSecond": 200}, beacons=20)
        numbers = {gateway: index for index, gateway in enumerate(stage.gateways)}

        def torment(gateway):
            chance = random.Random(f"{options.seed} {numbers[gateway]}")
            gateway.start()
            for _ in range(100 if options.soak else 6):
                stage.live_after(gateway, bench.now())
                gateway.relay.shut()
                time.sleep(chance.uniform(0.5, 1.5))
                stops = chance.random() < 0.5
                if stops:
                    gateway.stop()
                flip(gateway.state, chance)
                if stops:
                    gateway.start()
                time.sleep(chance.uniform(0, 0.5))
                begun = bench.now()
                gateway.relay.open()
                figures.fault()
                figures.recovered(stage.live_after(gateway, begun), begun)
                # Some time for what was stored to come, or not.
                time.sleep(chance.uniform(0, 1))
            gateway.drain()

        stage.in_parallel(torment)
        unknown = unknowing = 0
        for gateway, account in stage.accounts(figures):
            lost, files = check_within(gateway, account)
            unknown, unknowing = unknown + lost, unknowing + files
        if unknown:
            figures.note = f"; {unknown} lost by count alone, {unknowing} files without a count"
    return figures


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
        pass  # The agent was faster: all was delivered.


def is_health(gateway, durable):
    topic = f"sightline/v1/faults/{gateway.id}/health"

    def matches(seen):
        return seen.topic == topic and json.loads(seen.payload)["outbox"]["durable"] is durable

    return matches


def wait_for(condition, what, seconds=20):
    until = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < until, f"waited {seconds} s in vain for {what}")
        time.sleep(0.01)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    expect(done.returncode == 0, f"{' '.join(command)}: {done.stderr.strip()}")


SCENARIOS = [disk_in_trouble, bytes_flipped]

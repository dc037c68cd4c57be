"""What takes long: a disk that nobody writes to for ten minutes, and many faults in any order."""

import os
import random
import re
import shutil
import signal
import subprocess
import threading
import time

import bench
from bench import expect
from killing import SLACK
from stage import Figures, Stage
from truth import check_killed

WRITING = ("openat,open,creat,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,sync_file_range,"
           "ftruncate,fallocate,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat")


def quiet_disk(options):
    """broker answers for ten minutes: bytes written to files"""
    figures = Figures(quiet_disk)
    tracer = ["strace", "-f", "-y", "-qq", "-e", f"trace={WRITING}", "-e", "signal=none"]
    if not shutil.which("strace") or subprocess.run(
            [*tracer, "-o", "/dev/null", "true"], capture_output=True).returncode:
        figures.skipped = "strace is not installed, or may not trace here"
        return figures
    trace = f"{bench.TEMP}/trace"
    with Stage() as stage:
        gateway = stage.gateway(
            outbox={"spillAfterMs": 2000}, launcher=[*tracer, "-o", trace])
        gateway.start()
        time.sleep(options.quiet_seconds)
        with open(trace) as file:
            # The tracer passes no signal on; its lines begin with a thread's number, the first with the agent's.
            lines = file.readlines()
        os.kill(int(lines[0].split()[0]), signal.SIGTERM)
        expect(gateway.agent.process.wait(10) == 0, "the agent failed")
        gateway.relay.close()
        gateway.radio.end()
        for _, account in stage.accounts(figures):
            faults = account.faults()
            expect(not faults, "; ".join(faults[:3]))
    expect(any(re.search(r"write\(\d+<(socket|TCP)", line) for line in lines),
           "the trace has no write to a socket: it proves nothing")
    written = [line.strip() for line in lines if writes_to_file(line)]
    expect(not written, f"{len(written)} writes, such as {written[:3]}")
    expect(not gateway.stored(), "the outbox made a file")
    return figures


def writes_to_file(line):
    """Whether a line of the trace is a write to a file, or makes, names or removes one."""
    # Devices, and the names of threads; ends of calls that are in the trace already.
    if "/dev/" in line or "/proc/self/task/" in line or "resumed>" in line:
        return False
    call = re.match(r"\d+ +(\w+)\((.*)", line)
    if not call:
        return False
    if call[1].startswith("open"):
        return re.search("O_WRONLY|O_RDWR|O_CREAT", call[2]) is not None
    if call[1] in ("write", "writev"):
        # The file of a descriptor stands in angle brackets; sockets and pipes have no slash in front.
        return re.match(r"\d+</(?!proc/)", call[2]) is not None
    return True


def everything(options):
    """kills, clean stops, broken networks and broker kills in any order, at random moments"""
    figures = Figures(everything)
    with Stage() as stage:
        for window, spill in [(100, 200), (200, 100), (100, 0)]:
            stage.gateway({"windowMs": window}, {"spillAfterMs": spill})
        until = time.monotonic() + options.minutes * 60
        # Nobody opens a way to a broker that its subscriber has not come back to.
        one_by_one = threading.Lock()

        def kill_broker():
            stage.broker.kill()
            stage.subscriber.wait_until_gone()
            for gateway in stage.gateways:
                gateway.relay.shut()
            stage.broker.start(remembers=not stage.broker.remembers)
            stage.subscriber.connect()
            for gateway in stage.gateways:
                gateway.relay.open()

        def torment(gateway):
            chance = random.Random(f"{options.seed} {gateway.outbox} {gateway.window}")
            relay = gateway.relay

            def again(how):
                how()
                gateway.start()

            faults = [
                lambda: again(gateway.kill), lambda: again(gateway.stop), relay.cut, relay.shut, relay.hold,
                relay.cut_inside_publish, relay.cut_before_puback,
                lambda: relay.delay(chance.uniform(0.1, 1)), relay.open, relay.open,
            ]
            gateway.start()
            while (left := until - time.monotonic()) > 0:
                with one_by_one:
                    # The last ones of all have ended when the first gateway is asked for all that it has.
                    kill_broker() if chance.random() < 0.05 and left > 20 else chance.choice(faults)()
                figures.fault()
                time.sleep(chance.uniform(0, 3))
                if chance.random() < 0.2:
                    begun = bench.now()
                    with one_by_one:
                        relay.open()
                    figures.recovered(stage.live_after(gateway, begun), begun)
            gateway.drain(180)

        stage.in_parallel(torment)
        for gateway, account in stage.accounts(figures):
            check_killed(gateway, account, SLACK, edge=1)
    return figures


SCENARIOS = [quiet_disk, everything]

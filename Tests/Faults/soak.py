"""Long tests: ten minutes without a file write, and many faults in random order."""

import os
import random
import re
import shutil
import signal
import subprocess
import threading
import time

import processes
from mqtt import LIMIT
from processes import expect
from agent_exits import SLACK
from testbed import Results, Testbed
from checks import check_killed

WRITING = ("openat,open,creat,write,pwrite64,writev,pwritev,pwritev2,fsync,fdatasync,sync_file_range,"
           "ftruncate,fallocate,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat")


def quiet_disk(options):
    """broker answers for ten minutes: bytes written to files"""
    results = Results(quiet_disk)
    tracer = ["strace", "-f", "-y", "-qq", "-e", f"trace={WRITING}", "-e", "signal=none"]
    if not shutil.which("strace") or subprocess.run(
            [*tracer, "-o", "/dev/null", "true"], capture_output=True).returncode:
        results.skipped = "strace is not installed, or may not trace here"
        return results
    trace = f"{processes.TEMP}/trace"
    with Testbed() as testbed:
        gateway = testbed.gateway(
            outbox={"spillAfterMs": 2000}, launcher=[*tracer, "-o", trace])
        gateway.start()
        time.sleep(options.quiet_seconds)
        with open(trace) as file:
            # strace forwards no signal. Each line begins with a thread's number, the first with the agent's PID.
            lines = file.readlines()
        os.kill(int(lines[0].split()[0]), signal.SIGTERM)
        expect(gateway.agent.process.wait(LIMIT) == 0, "the agent failed")
        gateway.proxy.close()
        gateway.radio.end()
        for _, received in testbed.received(results):
            faults = received.faults()
            expect(not faults, "; ".join(faults[:3]))
    expect(any(re.search(r"write\(\d+<(socket|TCP)", line) for line in lines),
           "the trace is incomplete: it has no write to a socket")
    written = [line.strip() for line in lines if writes_to_file(line)]
    expect(not written, f"{len(written)} writes, such as {written[:3]}")
    expect(not gateway.stored(), "the outbox made a file")
    return results


def writes_to_file(line):
    """Whether a line of the trace writes, creates, renames or removes a file."""
    # Not files: devices and thread names. "resumed" lines repeat calls of earlier lines.
    if "/dev/" in line or "/proc/self/task/" in line or "resumed>" in line:
        return False
    call = re.match(r"\d+ +(\w+)\((.*)", line)
    if not call:
        return False
    if call[1].startswith("open"):
        return re.search("O_WRONLY|O_RDWR|O_CREAT", call[2]) is not None
    if call[1] in ("write", "writev"):
        # strace prints a descriptor's file in angle brackets; those of sockets and pipes begin without a slash.
        return re.match(r"\d+</(?!proc/)", call[2]) is not None
    return True


def everything(options):
    """kills, clean stops, broken networks and broker kills in any order, at random moments"""
    results = Results(everything)
    with Testbed() as testbed:
        for window, spill in [(100, 200), (200, 100), (100, 0)]:
            testbed.gateway({"windowMs": window}, {"spillAfterMs": spill})
        until = time.monotonic() + options.minutes * 60
        # No proxy opens before the subscriber has connected to the restarted broker.
        one_by_one = threading.Lock()

        def kill_broker():
            testbed.broker.kill()
            testbed.subscriber.wait_until_gone()
            for gateway in testbed.gateways:
                gateway.proxy.shut()
            testbed.broker.start(remembers=not testbed.broker.remembers)
            testbed.subscriber.connect()
            for gateway in testbed.gateways:
                gateway.proxy.open()

        def inject_faults(gateway):
            chance = random.Random(f"{options.seed} {gateway.outbox} {gateway.window}")
            proxy = gateway.proxy

            def again(how):
                how()
                gateway.start()

            faults = [
                lambda: again(gateway.kill), lambda: again(gateway.stop), proxy.cut, proxy.shut, proxy.hold,
                proxy.cut_inside_publish, proxy.cut_before_puback,
                lambda: proxy.delay(chance.uniform(0.1, 1)), proxy.open, proxy.open,
            ]
            gateway.start()
            while (left := until - time.monotonic()) > 0:
                with one_by_one:
                    # No broker is killed while a gateway drains its outbox.
                    kill_broker() if chance.random() < 0.05 and left > 20 else chance.choice(faults)()
                results.fault()
                time.sleep(chance.uniform(0, 3))
                if chance.random() < 0.2:
                    begun = processes.now()
                    with one_by_one:
                        proxy.open()
                    results.recovered(testbed.live_after(gateway, begun), begun)
            gateway.drain()

        testbed.in_parallel(inject_faults)
        for gateway, received in testbed.received(results):
            check_killed(gateway, received, SLACK, edge=1)
    return results


SCENARIOS = [quiet_disk, everything]

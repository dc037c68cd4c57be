"""The programs themselves on the shipped broker, and an agent at a hostile broker."""

import json
import re
import socket
import subprocess
import threading
import time

import processes
from mqtt import LIMIT
from processes import Program, expect
from provisioned import ROOT, Provisioned

ENTRY = "store-042/entry-1"


def sightline(*arguments):
    return Program(f"{processes.BIN}/sightline", *arguments)


def doctor(site):
    """The results of the doctor, by check, and its exit code."""
    done = subprocess.run(
        [f"{processes.BIN}/sightline", "doctor", "--json", "--seconds", "1", "--config",
         site.configuration(ENTRY, "state")], capture_output=True, text=True)
    return {f["check"]: f for f in map(json.loads, done.stdout.splitlines())}, done.returncode


def before_the_agent():
    """The doctor of a gateway, before its agent starts, may do all that the agent may."""
    with Provisioned() as site:
        found, status = doctor(site)
        unusual = [f for f in found.values() if f["outcome"] in ("wrong", "skipped")]
        expect(status == 0 and not unusual, f"{unusual}")
        expect({"login", "publish", "subscribe"} <= set(found), f"{found}")
    return f"{len(found)} checks"


def side_by_side():
    """Agent, doctor, watch and tune of one person run in parallel: no program ends another's connection."""
    with Provisioned() as site, site.agent(ENTRY, "state") as agent:
        agent.says("MQTT connected")
        with sightline("watch", "--json", *site.person("alice.watch")) as watch:
            watch.says('"sightings"')
            found, _ = doctor(site)
            expect(found["tls"]["outcome"] == "ok" and found["login"]["outcome"] == "skipped", f"{found}")
            tune = subprocess.run(
                [f"{processes.BIN}/sightline", "tune", "--site", "store-042", "report.windowMs=500",
                 *site.person("alice")], capture_output=True, text=True)
            expect(tune.returncode == 0 and "1 applied" in tune.stdout, tune.stdout + tune.stderr)
            # Only a reader's rights.
            tune = subprocess.run(
                [f"{processes.BIN}/sightline", "tune", "--site", "store-042", "report.windowMs=200", "--timeout", "30",
                 *site.person("queue")], capture_output=True, text=True)
            expect(tune.returncode == 1 and "not authorised" in tune.stdout + tune.stderr, f"{tune}")
            with watch.changed:
                count = len(watch.lines)
                expect(watch.changed.wait_for(lambda: len(watch.lines) > count + 2, LIMIT), "watch is silent")
            # A second program with the same name ends the connection of the first, which says so.
            with sightline("watch", "--json", *site.person("alice.watch")) as second:
                second.says('"sightings"')
                # Mosquitto 2.0.11 gives no reason.
                watch.says("another client uses the same|does another program use the same certificate")
        expect(sum("MQTT connected" in line for line in agent.lines) == 1, f"{agent.lines}")
        expect(not [line for line in agent.lines if line.startswith(("<3>", "<4>"))], f"{agent.lines}")
        expect(agent.end() == 0, "the agent did not end cleanly")
    return "4 programs"


def copied_card():
    """Two agents with one certificate: the evicted one reports it and pauses."""
    with Provisioned() as site, site.agent(ENTRY, "one") as first:
        first.says("MQTT connected")
        with site.agent(ENTRY, "two") as second:
            # Without a reason from the broker (mosquitto 2.0.11), chance decides which of the two pauses.
            deadline = time.monotonic() + LIMIT
            for words in ("another agent uses this gateway's name", "retryAfterSeconds"):
                while not any(words in line for agent in (first, second) for line in agent.lines):
                    expect(time.monotonic() < deadline, f"{words}: {first.lines[-3:]}, {second.lines[-3:]}")
                    time.sleep(0.1)
    return "2 agents"


def limit():
    """LimitDATA= of the service, in bytes; None without it."""
    unit = (ROOT / "packaging/debian/sightline-agent.service").read_text()
    found = re.search(r"^LimitDATA=(\d+)M$", unit, re.MULTILINE)
    return found and int(found[1]) << 20


class HugePackets:
    """A broker that sends a PUBLISH of 256 MiB on each connection, and counts the connections that end of it."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port, self.survived, self.changed = self.listener.getsockname()[1], 0, threading.Condition()
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            wire, _ = self.listener.accept()
            try:
                level = wire.recv(4096)[8]
                wire.sendall(b"\x20\x03\0\0\0" if level == 5 else b"\x20\x02\0\0")
                wire.sendall(b"\x30\xff\xff\xff\x7f\0\1x")
                for _ in range(256):
                    wire.sendall(bytes(1 << 20))
                wire.recv(4096)
            except (OSError, IndexError):
                pass
            wire.close()
            with self.changed:
                self.survived += 1
                self.changed.notify_all()


def uplink(agent):
    """The number of the agent's child, which reads what the broker sends (proc_pid_children(5))."""
    with open(f"/proc/{agent.process.pid}/task/{agent.process.pid}/children") as file:
        return int(file.read())


def memory(process, name):
    with open(f"/proc/{process}/status") as file:
        return int(re.search(rf"^{name}:\s+(\d+) kB", file.read(), re.MULTILINE)[1]) >> 10


def huge_packets():
    """A broker sends a message of 256 MiB: the agent, with the limits of its service, needs no memory for it."""
    broker = HugePackets()
    with Provisioned() as site:
        path = site.configuration(ENTRY, "state")
        with open(path) as file:
            settings = json.load(file)
        settings["mqtt"] = {"host": "127.0.0.1", "port": broker.port}
        site.write("state.json", json.dumps(settings))
        bound = ["prlimit", f"--data={limit()}"] if limit() else []
        with Program(*bound, f"{processes.BIN}/sightlined", "--config", path) as agent:
            deadline = time.monotonic() + LIMIT
            with broker.changed:
                broker.changed.wait_for(lambda: broker.survived >= 2 or agent.over, LIMIT)
            expect(time.monotonic() < deadline and not agent.over, f"the agent ended: {agent.lines[-5:]}")
            expect(not any("uplink process ended" in line for line in agent.lines), f"{agent.lines[-5:]}")
            most = memory(agent.process.pid, "VmHWM") + memory(uplink(agent), "VmHWM")
            expect(most <= 64, f"{most} MiB")
            expect(agent.end() == 0, "the agent did not end cleanly")
    return f"{most} MiB"


SCENARIOS = [before_the_agent, side_by_side, copied_card, huge_packets]

"""What the scenarios in run-in-guest are played with: processes, virtual adapters, a broker, a witness."""

import json
import os
import re
import signal
import struct
import subprocess
import time

BIN, SCENARIO = None, None  # the folder of the programs, and the world's file: set by run-in-guest
TEMP = os.environ["VM_OUTPUT"]


class Failed(Exception):
    """A scenario's expectation that did not come true, as one sentence."""


def expect(condition, sentence):
    if not condition:
        raise Failed(sentence)


def wait_for(condition, what, seconds=30):
    """Returns the first true value of `condition()`; fails when there is none in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise Failed(f"waited {seconds} s in vain for {what}")


class Program:
    """A running program, ended with the `with` that holds it; its output goes to a file."""

    count = 0

    def __init__(self, *command):
        Program.count += 1
        name = os.path.basename(command[0])
        self.path = f"{TEMP}/{Program.count:02}-{name}.log"
        with open(self.path, "w") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def end(self, by=signal.SIGTERM):
        """Asks the program to end; its exit status, or None if it had to be killed."""
        if self.process.poll() is None:
            self.process.send_signal(by)
        try:
            return self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None

    def until(self, condition, what, seconds=30):
        """Waits as `wait_for` does, but not for a program that has ended."""
        def settled():
            value = condition()
            expect(value or self.process.poll() is None, f"{self.path} ended before {what}")
            return value

        return wait_for(settled, what, seconds)

    def lines(self):
        with open(self.path, errors="replace") as log:
            return log.read().splitlines()

    def says(self, pattern):
        """The lines that match, so far."""
        return [line for line in self.lines() if re.search(pattern, line)]


def show_logs(since):
    """The last words of the programs after the given number."""
    for name in sorted(os.listdir(TEMP)):
        if name.endswith(".log") and int(name.split("-")[0]) > since:
            with open(f"{TEMP}/{name}", errors="replace") as log:
                for line in log.read().splitlines()[-5:]:
                    print(f"      {name}: {line[:160]}", flush=True)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    expect(done.returncode == 0, f"{' '.join(command)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


class Adapter:
    """One of the kernel's adapters: hciN."""

    def __init__(self, name):
        self.name = name

    def up(self):
        wait_for(lambda: self.turned("up"), f"{self.name} to come up")

    def down(self):
        wait_for(lambda: self.turned("down"), f"{self.name} to go down")

    def turned(self, state):
        # The kernel may still be busy with its own look at a new adapter, and refuse for a while.
        subprocess.run(["hciconfig", self.name, state], capture_output=True)
        return state.upper() in run("hciconfig", self.name).split()

    def command(self, group, opcode, parameters):
        run("hcitool", "-i", self.name, "cmd", group, opcode, *parameters.split())


class Controllers(Program):
    """Virtual controllers behind /dev/vhci, whose adapters are up."""

    def __init__(self, *command, count=1):
        before = known_adapters()
        super().__init__(*command)
        made = lambda: sorted(known_adapters() - before)
        self.until(lambda: len(made()) == count, "the virtual adapters")
        self.adapters = [Adapter(name) for name in made()]
        for adapter in self.adapters:
            adapter.up()


def virtual_radio(family):
    """Our own controller, with beacons in front of it that advertise ten times a second."""
    address = f"02:00:5E:00:53:{len(known_adapters()):02X}"
    return Controllers(
        f"{BIN}/virtual-radio", "--scenario", SCENARIO, "--gateway", "shelf",
        "--family", family, "--vhci", "/dev/vhci", "--address", address)


def known_adapters():
    return set(os.listdir("/sys/class/bluetooth"))


class Broker(Program):
    """A mosquitto on this machine's loopback."""

    def __init__(self):
        config = f"{TEMP}/mosquitto.conf"
        with open(config, "w") as file:
            file.write("listener 1883 127.0.0.1\nallow_anonymous true\nuser root\n")
        super().__init__("mosquitto", "-c", config)
        self.until(lambda: publishes("started"), "the broker")


def publishes(topic):
    return subprocess.run(["mosquitto_pub", "-t", topic, "-n"], capture_output=True).returncode == 0


class Subscriber(Program):
    """Hears everything that one gateway publishes from now on."""

    def __init__(self, gateway):
        self.topic = f"sightline/v1/vm/{gateway}"
        super().__init__("mosquitto_sub", "-R", "-v", "-t", f"{self.topic}/#", "-t", "ready")
        self.until(lambda: self.hears_itself(), "the subscription")

    def hears_itself(self):
        return publishes("ready") and self.says("^ready ")

    def batches(self):
        """The messages with sightings, in order of arrival."""
        head = f"{self.topic}/sightings "
        whole = [line for line in self.lines() if line.startswith(head) and line.endswith("}")]
        return [json.loads(line[len(head):]) for line in whole]

    def hearing(self, after=0):
        """Those windows since `after`, in ms, in which something was heard."""
        return [b for b in self.batches() if b["sightings"] and b["window"]["start"] >= after]


class Agent(Program):
    """A sightlined with a configuration of its own."""

    def __init__(self, gateway, source, *launcher):
        state = f"/tmp/{gateway}"
        os.makedirs(state, exist_ok=True)
        os.chmod(state, 0o777)
        config = {
            "gateway": {"site": "vm", "id": gateway},
            "mqtt": {"host": "127.0.0.1", "port": 1883},
            "stateDirectory": state,
        }
        path = f"/tmp/{gateway}.json"
        with open(path, "w") as file:
            json.dump(config, file)
        super().__init__(*launcher, f"{BIN}/sightlined", "--config", path, "--radio", source)


class Witness(Program):
    """btmon: what really goes over the wire between the kernel and its adapters."""

    def __init__(self):
        self.capture = f"{TEMP}/{Program.count + 1:02}.btsnoop"
        super().__init__("btmon", "-w", self.capture)
        wait_for(lambda: os.path.exists(self.capture) and os.path.getsize(self.capture) > 16,
                 "btmon")

    def commands(self, adapter):
        """The opcodes of the HCI commands sent to the adapter since the start."""
        with open(self.capture, "rb") as file:
            data = file.read()
        opcodes, index, at = [], int(adapter.name.removeprefix("hci")), 16
        while at + 24 <= len(data):
            size, flags = struct.unpack(">4xII", data[at:at + 12])
            # In the monitor's format, the flags are the adapter and the kind; 2 is a command.
            if flags == index << 16 | 2 and size >= 2:
                opcodes += struct.unpack("<H", data[at + 24:at + 26])
            at += 24 + size
        return opcodes

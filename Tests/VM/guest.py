"""The environment of the VM scenarios: processes, virtual adapters, a broker, agents and subscribers."""

import fcntl
import json
import os
import re
import signal
import socket
import subprocess
import time

from hci_channel import AF_BLUETOOTH, BTPROTO_HCI

# The programs' folder, the radio scenario's file and the random seed: set by run-in-guest.
BIN, SCENARIO, SEED = None, None, 1
SOAK = False  # the long form: more repetitions
ROWS = []  # of the summary's table
TEMP = os.environ["VM_OUTPUT"]
STATE = "/run/sightline-agents"  # the agents' files, until the scenario's end
PORT = 1883
LIMIT = 180  # seconds; every event is faster, even on a busy machine
HCIDEVRESET = 0x400448CB  # of ioctl (Linux, include/net/bluetooth/hci_sock.h)


class Failed(Exception):
    """A failed expectation, as one sentence."""


def expect(condition, sentence):
    if not condition:
        raise Failed(sentence)


def wait_for(condition, what):
    """Returns the first true value of `condition()`; fails when there is none within LIMIT."""
    deadline = time.monotonic() + LIMIT
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise Failed(f"timed out after {LIMIT} s: {what}")


class Program:
    """A running program, whose output goes to a file. The end of its `with` ends the program."""

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
            return self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None

    def until(self, condition, what):
        """Waits as `wait_for` does, and fails early when the program has ended."""
        def settled():
            value = condition()
            expect(value or self.process.poll() is None, f"{self.path} ended before {what}")
            return value

        return wait_for(settled, what)

    def lines(self):
        """The complete lines: the program may be writing the next one."""
        with open(self.path, errors="replace") as log:
            return log.read().rpartition("\n")[0].splitlines()

    def says(self, pattern):
        """The lines that match, so far."""
        return [line for line in self.lines() if re.search(pattern, line)]


def show_logs(since):
    """Prints the last lines of the programs after the given number."""
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

    @property
    def address(self):
        return re.search("BD Address: ([0-9A-F:]+)", run("hciconfig", self.name))[1].lower()

    def up(self):
        wait_for(lambda: self.turned("up"), f"{self.name} to come up")

    def down(self):
        wait_for(lambda: self.turned("down"), f"{self.name} to go down")

    def turned(self, state):
        # While the kernel sets up a new adapter, it may refuse the command for a while.
        subprocess.run(["hciconfig", self.name, state], capture_output=True)
        return state.upper() in run("hciconfig", self.name).split()

    def reset(self):
        """Resets the adapter by ioctl, as other programs do: `hciconfig reset` takes it down and up instead."""
        with socket.socket(AF_BLUETOOTH, socket.SOCK_RAW, BTPROTO_HCI) as kernel:
            fcntl.ioctl(kernel, HCIDEVRESET, int(self.name.removeprefix("hci")))

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


def virtual_radio(*families):
    """Simulated controllers, in the order of their families: one at the shelf, where beacons advertise ten times a
    second, and one five metres away at the counter. They receive each other's packets."""
    made = len(known_adapters())
    addresses = [f"02:00:5e:00:53:{made + index:02x}" for index in range(len(families))]
    options = ["--vhci", "/dev/vhci"]
    for gateway, family, address in zip(["shelf", "counter"], families, addresses):
        options += ["--gateway", gateway, "--family", family, "--address", address]
    radio = Controllers(
        f"{BIN}/virtual-radio", "--scenario", SCENARIO, *options, count=len(families))
    # The kernel numbers the adapters in the order of their creation.
    radio.adapters.sort(key=lambda adapter: addresses.index(adapter.address))
    return radio


def known_adapters():
    return set(os.listdir("/sys/class/bluetooth"))


class Broker(Program):
    """A mosquitto on this machine's loopback. It keeps nothing after its end, except one that `remembers`.

    The `launcher` is a command that runs mosquitto, for example in a network namespace."""

    def __init__(self, port=PORT, *launcher, host="127.0.0.1", remembers=False):
        config = f"{TEMP}/mosquitto-{port}.conf"
        with open(config, "w") as file:
            file.write(f"listener {port} {host}\nallow_anonymous true\nuser root\n"
                       "max_queued_messages 0\n")
            if remembers:
                file.write(f"persistence true\npersistence_location {STATE}/\n")
        super().__init__(*launcher, "mosquitto", "-c", config)
        self.until(lambda: publishes("started", port=port, launcher=launcher), "the broker")


def publishes(topic, *options, port=PORT, launcher=()):
    command = [*launcher, "mosquitto_pub", "-p", str(port), "-t", topic, *(options or ["-n"])]
    return subprocess.run(command, capture_output=True).returncode == 0


class Layer:
    """One layer's retained document: of the fleet, or of the named gateway. The end of its `with` removes it."""

    def __init__(self, gateway=None, port=PORT):
        place = f"vm/{gateway}/" if gateway else ""
        self.topic, self.port, self.version = f"sightline/v1/{place}config/desired", port, 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        publishes(self.topic, "-r", "-n", port=self.port)

    def publish(self, **sections):
        """The next version, with a single message."""
        self.version += 1
        document = json.dumps({"version": self.version, **sections})
        expect(publishes(self.topic, "-r", "-q", "1", "-m", document, port=self.port),
               f"{self.topic} can't be published")


class Subscriber(Program):
    """Subscribes to all messages of one gateway, with retained ones if requested."""

    def __init__(self, gateway, port=PORT, *launcher, retained=False, stays=False):
        self.topic, self.port, self.launcher = f"sightline/v1/vm/{gateway}", port, launcher
        options = [] if retained else ["-R"]
        if stays:
            # The broker queues messages while the subscriber is away.
            options += ["-c", "-i", f"subscriber-{gateway}", "-q", "1"]
        super().__init__(*launcher, "mosquitto_sub", "-p", str(port), *options, "-v",
                         "-t", f"{self.topic}/#", "-t", "ready")
        self.until(lambda: self.hears_itself(), "the subscription")

    def hears_itself(self):
        ready = publishes("ready", port=self.port, launcher=self.launcher)
        return ready and self.says("^ready ")

    def payloads(self, topic):
        """The messages of one topic as text."""
        head = f"{self.topic}/{topic} "
        return [line[len(head):] for line in self.lines()
                if line.startswith(head) and line.endswith("}")]

    def messages(self, topic):
        """The messages of one topic, in order of arrival."""
        return [json.loads(payload) for payload in self.payloads(topic)]

    def batches(self):
        return self.messages("sightings")

    def reported(self):
        """The gateway's reports of the settings in force, the latest last."""
        return self.messages("config/reported")

    def hearing(self, after=0):
        """The windows with sightings since `after` (ms)."""
        return [b for b in self.batches() if b["sightings"] and b["window"]["start"] >= after]


class Agent(Program):
    """A sightlined with its own configuration; `sections` are added to the usual ones or replace them."""

    def __init__(self, gateway, source, *launcher, port=PORT, **sections):
        state = f"{STATE}/{gateway}"
        os.makedirs(state, exist_ok=True)
        os.chmod(state, 0o777)
        config = {
            "gateway": {"site": "vm", "id": gateway},
            "mqtt": {"host": "127.0.0.1", "port": port},
            "stateDirectory": state,
            # This machine's clock is not synchronised.
            "outbox": {"holdUnsyncedMs": 0},
            **sections,
        }
        path = f"{STATE}/{gateway}.json"
        with open(path, "w") as file:
            json.dump(config, file)
        super().__init__(*launcher, f"{BIN}/sightlined", "--config", path, "--radio", source)


def check_stream(subscriber):
    """Checks the contract: no missing number, no repetition, no gap."""
    check_numbers(subscriber)
    batches = in_order(subscriber)
    for before, after in zip(batches, batches[1:]):
        expect(before["window"]["end"] == after["window"]["start"],
               f"a gap between windows: {before['window']}, {after['window']}")
    for batch in batches:
        counted = sum(s["count"] for s in batch["sightings"])
        expect(counted == batch["radio"]["beacons"], f"{counted} counted: {batch['radio']}")


def check_numbers(subscriber):
    """Checks that each number comes once. New messages are in order. Messages from the time before the connection can
    come between them, because they were stored; they are in order as well."""
    numbers = [batch["seq"] for batch in subscriber.batches()]
    expect(sorted(numbers) == list(range(len(numbers))), f"seq is not 0, 1, 2, …: {numbers}")
    late = [seq for index, seq in enumerate(numbers) if seq < max(numbers[:index], default=-1)]
    expect(late == sorted(late), f"the backlog is not in order: {late}")
    [connected, *_] = [status["at"] for status in subscriber.messages("status")]
    ends = [batch["window"]["end"] for batch in subscriber.batches() if batch["seq"] in late]
    expect(all(end <= connected for end in ends), f"new messages are not in order: {numbers}")


def in_order(subscriber):
    """The batches in the order of their numbers."""
    return sorted(subscriber.batches(), key=lambda batch: batch["seq"])


def deaf_since(subscriber, moment):
    """Waits until the last window is deaf and ended after this moment (ms)."""
    def is_last_deaf():
        [last] = subscriber.batches()[-1:]
        return is_deaf(last) and last["window"]["end"] > moment

    wait_for(is_last_deaf, "a deaf window at the end")


def is_deaf(batch):
    return batch.get("radio", {}).get("state") == "deaf"

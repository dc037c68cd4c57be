"""A broker with the files that packaging/sightline-provision makes from the shipped configuration."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile

import processes
import wire
from processes import Program, expect

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHIPPED = "/etc/mosquitto/sightline"
GATEWAYS = ["store-042/entry-1", "store-042/till-1", "store-043/entry-1"]
# The last one is the tests' own: install() gives it all rights.
PEOPLE = ["--operator", "alice", "--backend", "queue", "--server", "server", "--tills", "pos", "--home-assistant", "hass", "--backend", "witness"]
PASSPHRASE = "correct horse battery staple"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Provisioned:
    """The folder of packaging/sightline-provision, and a broker with a copy of its files."""

    def __init__(self, gateways=GATEWAYS, people=PEOPLE, script=ROOT / "packaging/sightline-provision"):
        self.folder = tempfile.mkdtemp(prefix="security-", dir=processes.TEMP)
        self.made, self.etc = f"{self.folder}/made", f"{self.folder}/etc"
        self.script, self.port, self.program, self.radios = script, free_port(), None, {}
        self.write("passphrase", "\ufeff" + PASSPHRASE + "\r\n")
        # As Excel writes it where a comma is the decimal sign.
        self.write("plan.csv", "\ufeffSite;Gateway\n" + "".join(f"{g.replace('/', ';')}\n" for g in gateways))
        self.list = ["--plan", f"{self.folder}/plan.csv", "--broker", "localhost", *people]
        self.provision(*self.list)

    def __enter__(self):
        self.install()
        self.start()
        return self

    def __exit__(self, *_):
        for program in [self.program, *self.radios.values()]:
            program.end(signal.SIGKILL)

    def write(self, name, content):
        path = pathlib.Path(self.folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return str(path)

    def provision(self, *arguments, status=0):
        """Runs packaging/sightline-provision and returns its output. It reads the plan with the tested programs."""
        done = subprocess.run(
            [self.script, "--output", self.made, "--passphrase-file", f"{self.folder}/passphrase", *arguments],
            env={**os.environ, "SIGHTLINE_BIN": processes.BIN}, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        expect(done.returncode == status, f"provision {arguments}: {done.returncode}, {done.stderr}")
        return done.stderr

    def install(self):
        """Copies the broker's files, as README says, with another port and other paths."""
        shutil.rmtree(self.etc, ignore_errors=True)
        shutil.copytree(f"{self.made}/broker", self.etc)
        path = pathlib.Path(self.etc, "mosquitto.conf")
        lines = path.read_text().replace(SHIPPED, self.etc).replace("listener 8883", f"listener {self.port} 127.0.0.1")
        path.write_text(lines + "log_dest stderr\nlog_type all\n" + ("user root\n" if os.getuid() == 0 else ""))
        access = pathlib.Path(self.etc, "acl")
        access.write_text(access.read_text().replace("user witness\n", "user witness\ntopic readwrite #\n"))
        access.chmod(0o600)

    def start(self):
        self.program = Program("mosquitto", "-c", f"{self.etc}/mosquitto.conf")
        self.program.says("running$")

    def restart(self):
        self.program.end(signal.SIGTERM)
        self.start()

    def reload(self):
        self.program.send(signal.SIGHUP)
        self.program.says("Reloading config")

    def pair(self, user):
        """The certificate and the key of a user, without their endings."""
        if "/" in user:
            return f"{self.made}/gateways/{user}/gateway"
        return f"{self.made}/people/{user.removesuffix('.watch')}/{user}"

    def context(self, user):
        return wire.context(f"{self.made}/ca.crt", self.pair(user))

    def client(self, user, **claims):
        return wire.Client(self.port, self.context(user), **claims)

    def admits(self, user, settings=None):
        try:
            wire.Client(self.port, settings or self.context(user)).drop()
            return True
        except wire.Refused:
            return False

    def agent(self, gateway, state, *launcher):
        """Starts an agent with the files of a gateway, on the virtual radio."""
        return Program(*launcher, f"{processes.BIN}/sightlined", "--config", self.configuration(gateway, state))

    def configuration(self, gateway, state):
        path = pathlib.Path(self.made, "gateways", gateway, "sightlined.json")
        settings = json.loads(path.read_text().replace("/etc/sightline", str(path.parent)))
        settings["mqtt"]["port"] = self.port
        settings.pop("homeAssistant", None)
        settings["radio"] = {"source": "h4:" + self.radio(gateway, state)}
        settings["stateDirectory"] = f"{self.folder}/{state}"
        settings["outbox"] = {"holdUnsyncedMs": 0}
        return self.write(f"{state}.json", json.dumps(settings))

    def radio(self, gateway, state):
        """The socket of the agent's virtual radio, which runs until the end."""
        source = f"unix:{self.folder}/{state}.radio"
        if source not in self.radios:
            self.radios[source] = processes.controller(
                ROOT / "config/scenarios/queue.json", gateway.split("/")[1], source)
        return source

    def person(self, name):
        """The options of `sightline watch` and `tune` for a user."""
        pair = self.pair(name)
        return ["--broker", f"mqtts://localhost:{self.port}", "--ca-file", f"{self.made}/ca.crt",
                "--cert", f"{pair}.crt", "--key", f"{pair}.key"]

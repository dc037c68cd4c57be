"""A network between the agents and their broker, which can be slow, lossy and cut.

The broker has its own network namespace; the agents stay in the first one, with the adapters."""

import re
import subprocess

from guest import Broker, run

SPACE, NEAR, FAR = "broker", "10.53.0.1", "10.53.0.2"
INSIDE = ("ip", "netns", "exec", SPACE)


class Network:
    """The two ends of a virtual cable; netem delays and drops packets at both."""

    def __enter__(self):
        run("ip", "netns", "add", SPACE)
        run("ip", "link", "add", "near", "type", "veth", "peer", "name", "far", "netns", SPACE)
        run("ip", "address", "add", f"{NEAR}/24", "dev", "near")
        run(*INSIDE, "ip", "address", "add", f"{FAR}/24", "dev", "far")
        run(*INSIDE, "ip", "link", "set", "lo", "up")
        run(*INSIDE, "ip", "link", "set", "far", "up")
        self.connect()
        return self

    def __exit__(self, *_):
        # The kernel removes the cable with the namespace.
        subprocess.run(["ip", "netns", "del", SPACE], capture_output=True)

    def connect(self):
        run("ip", "link", "set", "near", "up")

    def cut(self):
        run("ip", "link", "set", "near", "down")

    def disturb(self, *netem):
        for where, device in [((), "near"), (INSIDE, "far")]:
            run(*where, "tc", "qdisc", "replace", "dev", device, "root", "netem", *netem)

    def lost(self):
        """The number of packets that netem dropped so far."""
        said = run("tc", "-s", "qdisc", "show", "dev", "near")
        return int(re.search(r"dropped (\d+)", said)[1])

    def clear(self):
        for where, device in [((), "near"), (INSIDE, "far")]:
            run(*where, "tc", "qdisc", "del", "dev", device, "root")

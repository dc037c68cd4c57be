"""A network between the agents and their broker, which can be slow, lossy and cut.

The broker's end is a namespace of its own; the agents stay where the adapters are, in the first one."""

import re
import subprocess

from guest import Broker, run

SPACE, NEAR, FAR = "broker", "10.53.0.1", "10.53.0.2"
INSIDE = ("ip", "netns", "exec", SPACE)


class Network:
    """Two ends of a virtual cable; netem's delays and losses are on both of them."""

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
        # The cable goes with the namespace that holds one of its ends.
        subprocess.run(["ip", "netns", "del", SPACE], capture_output=True)

    def connect(self):
        run("ip", "link", "set", "near", "up")

    def cut(self):
        run("ip", "link", "set", "near", "down")

    def disturb(self, *netem):
        for where, device in [((), "near"), (INSIDE, "far")]:
            run(*where, "tc", "qdisc", "replace", "dev", device, "root", "netem", *netem)

    def lost(self):
        """Packets that netem has thrown away so far."""
        said = run("tc", "-s", "qdisc", "show", "dev", "near")
        return int(re.search(r"dropped (\d+)", said)[1])

    def clear(self):
        for where, device in [((), "near"), (INSIDE, "far")]:
            run(*where, "tc", "qdisc", "del", "dev", device, "root")

"""A relay between an agent and its broker that records each packet with its time."""

import contextlib
import dataclasses
import json
import selectors
import socket
import threading
import time

from mqtt import PUBLISH, Frames, kind, topic_and_rest


@dataclasses.dataclass
class Published:
    """A message from the agent: its time (seconds of the wall clock), and the bytes of its packet."""

    at: float
    topic: str
    rest: bytes
    size: int

    @property
    def json(self):
        return json.loads(self.rest[self.rest.index(b'{"v"'):])


class Tap:
    """One port for agents; each connection is relayed to the broker."""

    def __init__(self, port):
        self.target, self.seen, self.sent = port, [], 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            agent, _ = self.listener.accept()
            threading.Thread(target=self.carry, args=(agent,), daemon=True).start()

    def carry(self, agent):
        frames = Frames()
        with agent, contextlib.suppress(OSError), \
                socket.create_connection(("127.0.0.1", self.target)) as broker:
            with selectors.DefaultSelector() as selector:
                selector.register(agent, selectors.EVENT_READ, broker)
                selector.register(broker, selectors.EVENT_READ, agent)
                while True:
                    for key, _ in selector.select():
                        data = key.fileobj.recv(1 << 16)
                        at = time.time()
                        key.data.sendall(data)
                        if not data:
                            return
                        if key.fileobj is agent:
                            self.note(frames, data, at)

    def note(self, frames, data, at):
        self.sent += len(data)
        for packet in frames.take(data):
            if kind(packet) == PUBLISH:
                self.seen.append(Published(at, *topic_and_rest(packet), len(packet)))

    def sightings(self):
        """The sightings messages recorded so far."""
        return [message for message in list(self.seen) if message.topic.endswith("/sightings")]

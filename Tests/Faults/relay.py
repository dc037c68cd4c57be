"""The network between an agent and its broker, with a hand on the cable."""

import selectors
import socket
import struct
import threading
import time

from mqtt import PUBACK, PUBLISH, Frames, body, kind, topic_and_rest


class Pair:
    """One connection through the relay: the agent's end and the broker's."""

    def __init__(self, agent, broker):
        self.ends = {agent: broker, broker: agent}
        self.agent = agent
        self.frames = {agent: Frames(), broker: Frames()}
        self.waiting = []  # (when, where to, bytes), in order
        self.swallowed = None  # the number of the message whose PUBACK is the end


class Relay:
    """Passes packets on, one by one, in both directions. What it does to them can be changed at any moment:

    open()                as a good network
    hold()                nothing passes, nobody is told; what waits passes with open()
    shut()                connections break, new ones are refused
    delay(seconds)        each packet comes so much later; open() ends it
    cut()                 connections break, new ones are taken
    cut_inside_publish()  the same in the middle of the agent's next batch
    cut_before_puback()   the same when the broker has acknowledged the next batch, before the agent hears of it
                          (both set `sprung` when it has come to that)
    """

    def __init__(self, port):
        self.target = port
        self.lock = threading.RLock()
        self.pairs, self.held, self.late, self.trap = set(), False, 0.0, None
        self.sprung = threading.Event()
        # Keeps the port while nobody listens, so that connections are refused.
        self.guard = self.bound(0)
        self.port = self.guard.getsockname()[1]
        self.selector = selectors.DefaultSelector()
        self.bell, self.hand = socket.socketpair()
        self.selector.register(self.bell, selectors.EVENT_READ)
        self.listener, self.running = None, True
        self.open()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def bound(self, port):
        wire = socket.socket()
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        wire.bind(("127.0.0.1", port))
        return wire

    def open(self):
        with self.lock:
            self.held, self.late, self.trap = False, 0.0, None
            if self.listener is None:
                self.listener = self.bound(self.port)
                self.listener.listen()
                self.selector.register(self.listener, selectors.EVENT_READ)
        self.hand.send(b".")

    def hold(self):
        with self.lock:
            self.held = True

    def delay(self, seconds):
        with self.lock:
            self.late = seconds

    def cut(self):
        with self.lock:
            for pair in list(self.pairs):
                self.drop(pair)

    def shut(self):
        with self.lock:
            if self.listener is not None:
                self.selector.unregister(self.listener)
                self.listener.close()
                self.listener = None
            self.cut()

    def cut_inside_publish(self):
        self.set_trap("inside")

    def cut_before_puback(self):
        self.set_trap("before")

    def set_trap(self, kind_):
        with self.lock:
            self.trap = kind_
            self.sprung.clear()

    def close(self):
        self.running = False
        self.hand.send(b".")
        self.thread.join()
        self.shut()
        self.guard.close()

    def run(self):
        while self.running:
            for key, _ in self.selector.select(self.pass_on()):
                with self.lock:
                    if key.fileobj is self.bell:
                        self.bell.recv(4096)
                    elif key.fileobj is self.listener:
                        self.accept()
                    elif key.data in self.pairs:
                        self.read(key.data, key.fileobj)

    def accept(self):
        try:
            agent, _ = self.listener.accept()
        except OSError:
            return
        try:
            broker = socket.create_connection(("127.0.0.1", self.target), timeout=2)
        except OSError:
            self.reset(agent)
            return
        pair = Pair(agent, broker)
        self.pairs.add(pair)
        for wire in pair.ends:
            wire.settimeout(5)
            wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.selector.register(wire, selectors.EVENT_READ, pair)

    def read(self, pair, wire):
        try:
            data = wire.recv(1 << 16)
        except OSError:
            data = b""
        if not data:
            # In order: what was said before the end arrives before it.
            if not self.held:
                self.send(pair, time.monotonic() + 60)
            return self.drop(pair)
        for packet in pair.frames[wire].take(data):
            pair.waiting.append((time.monotonic() + self.late, pair.ends[wire], packet))

    def pass_on(self):
        """Passes on what is due; how long there is nothing to do."""
        with self.lock:
            if self.held:
                return 0.05
            now, due = time.monotonic(), []
            for pair in list(self.pairs):
                self.send(pair, now)
                due += [when for when, _, _ in pair.waiting[:1]]
            return max(0.0, min(due) - now) if due else None

    def send(self, pair, now):
        while pair in self.pairs and pair.waiting and pair.waiting[0][0] <= now:
            _, wire, packet = pair.waiting.pop(0)
            to_broker = wire is not pair.agent
            try:
                if self.trap and to_broker and kind(packet) == PUBLISH:
                    topic, rest = topic_and_rest(packet)
                    if topic.endswith("/sightings") and self.trap == "inside":
                        wire.sendall(packet[:len(packet) // 2])
                        return self.spring(pair)
                    if topic.endswith("/sightings") and pair.swallowed is None:
                        pair.swallowed = rest[:2]
                if not to_broker and kind(packet) == PUBACK and body(packet)[:2] == pair.swallowed:
                    return self.spring(pair)
                wire.sendall(packet)
            except OSError:
                self.drop(pair)

    def spring(self, pair):
        self.trap = None
        self.drop(pair)
        self.sprung.set()

    def drop(self, pair):
        if pair not in self.pairs:
            return
        self.pairs.remove(pair)
        for wire in pair.ends:
            self.selector.unregister(wire)
            self.reset(wire)

    @staticmethod
    def reset(wire):
        """Closes it as a break does, without a farewell."""
        try:
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass
        wire.close()

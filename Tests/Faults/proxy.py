"""A proxy between an agent and its broker that delays, holds and cuts connections."""

import selectors
import socket
import struct
import threading
import time

from mqtt import CONNACK, CONNECT, PUBACK, PUBLISH, Frames, body, kind, packet, text, topic_and_rest


# A property that MQTT 5 does not have (section 2.2.2.2), in a CONNACK and in a PUBLISH.
POISON = {"connack": bytes.fromhex("20040000017f"), "publish": bytes.fromhex("3005000161017f")}


class Pair:
    """One connection through the proxy: the agent's end and the broker's."""

    def __init__(self, agent, broker):
        self.ends = {agent: broker, broker: agent}
        self.agent = agent
        self.frames = {agent: Frames(), broker: Frames()}
        self.waiting = []  # (when, where to, bytes), in order
        self.swallowed = None  # the number of the message whose PUBACK is the end


class Proxy:
    """Forwards MQTT packets in both directions. Its behaviour can change at any time:

    open()                forwards packets immediately
    hold()                queues packets until open(); connections stay open
    shut()                resets connections and refuses new ones
    delay(seconds)        delays each packet until open()
    cut()                 resets connections and accepts new ones
    cut_inside_publish()  resets the connection in the middle of the agent's next batch
    cut_before_puback()   resets the connection before the agent receives the next PUBACK of a batch
                          (both set `was_cut` after the reset)
    swallow_pubacks(n)    drops the next n PUBACKs to the agent, and sets `was_cut` after the last one
    late_will()           makes the broker publish the agent's will while the agent stays connected
    poison(way)           resets connections, and sends an unknown property once: in the next CONNACK, or in a PUBLISH
                          behind it
    """

    def __init__(self, port):
        self.target = port
        self.lock = threading.RLock()
        self.pairs, self.held, self.late, self.cut_point = set(), False, 0.0, None
        self.swallows, self.connect = 0, None
        self.poisoned = None
        self.was_cut = threading.Event()
        # Keeps the port reserved without listening: connections are refused.
        self.guard = self.bound(0)
        self.port = self.guard.getsockname()[1]
        self.selector = selectors.DefaultSelector()
        self.wake_reader, self.wake_writer = socket.socketpair()
        self.selector.register(self.wake_reader, selectors.EVENT_READ)
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
            self.held, self.late, self.cut_point, self.swallows = False, 0.0, None, 0
            if self.listener is None:
                self.listener = self.bound(self.port)
                self.listener.listen()
                self.selector.register(self.listener, selectors.EVENT_READ)
        self.wake_writer.send(b".")

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
        self.cut_at("inside")

    def cut_before_puback(self):
        self.cut_at("before")

    def cut_at(self, kind_):
        with self.lock:
            self.cut_point = kind_
            self.was_cut.clear()

    def swallow_pubacks(self, count):
        with self.lock:
            self.swallows = count
            self.was_cut.clear()

    def late_will(self):
        """Opens the agent's latest connection again under another name, and breaks it: the broker publishes its will.

        A broker publishes the will of a half-open connection so late if the agent has connected to another node."""
        content = body(self.connect)
        # Name, level, flags, keep-alive; in MQTT 5 properties, shorter than 128 bytes; then the client identifier.
        begin = 10 + (1 + content[10] if content[6] == 5 else 0)
        end = begin + 2 + int.from_bytes(content[begin:begin + 2], "big")
        content = content[:begin] + text("half-open") + content[end:]
        wire = socket.create_connection(("127.0.0.1", self.target), timeout=60)
        wire.sendall(packet(CONNECT << 4, content))
        wire.recv(4096)
        self.reset(wire)

    def poison(self, way):
        with self.lock:
            self.poisoned = way
            self.cut()

    def close(self):
        self.running = False
        self.wake_writer.send(b".")
        self.thread.join()
        self.shut()
        self.guard.close()

    def run(self):
        while self.running:
            for key, _ in self.selector.select(self.pass_on()):
                with self.lock:
                    if key.fileobj is self.wake_reader:
                        self.wake_reader.recv(4096)
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
            # Packets before the end arrive before it.
            if not self.held:
                self.send(pair, time.monotonic() + 60)
            return self.drop(pair)
        for packet_ in pair.frames[wire].take(data):
            pair.waiting.append((time.monotonic() + self.late, pair.ends[wire], packet_))

    def pass_on(self):
        """Forwards the packets that are due; returns the seconds until the next one."""
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
            _, wire, packet_ = pair.waiting.pop(0)
            to_broker = wire is not pair.agent
            try:
                if to_broker and kind(packet_) == CONNECT:
                    self.connect = packet_
                if self.swallows and not to_broker and kind(packet_) == PUBACK:
                    self.swallows -= 1
                    if not self.swallows:
                        self.was_cut.set()
                    continue
                if self.cut_point and to_broker and kind(packet_) == PUBLISH:
                    topic, rest = topic_and_rest(packet_)
                    if topic.endswith("/sightings") and self.cut_point == "inside":
                        wire.sendall(packet_[:len(packet_) // 2])
                        return self.cut_here(pair)
                    if topic.endswith("/sightings") and pair.swallowed is None:
                        pair.swallowed = rest[:2]
                if not to_broker and kind(packet_) == PUBACK and body(packet_)[:2] == pair.swallowed:
                    return self.cut_here(pair)
                if self.poisoned and not to_broker and kind(packet_) == CONNACK:
                    way, self.poisoned = self.poisoned, None
                    packet_ = POISON[way] if way == "connack" else packet_ + POISON[way]
                wire.sendall(packet_)
            except OSError:
                self.drop(pair)

    def cut_here(self, pair):
        self.cut_point = None
        self.drop(pair)
        self.was_cut.set()

    def drop(self, pair):
        if pair not in self.pairs:
            return
        self.pairs.remove(pair)
        for wire in pair.ends:
            self.selector.unregister(wire)
            self.reset(wire)

    @staticmethod
    def reset(wire):
        """Closes the connection with a TCP reset."""
        try:
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass
        wire.close()

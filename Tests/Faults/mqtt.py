"""The parts of MQTT 3.1.1 that the tests need: packet framing and a subscriber."""

import itertools
import os
import pathlib
import socket
import threading
import time

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK = 1, 2, 3, 4, 8, 9
PINGREQ, PINGRESP, DISCONNECT = 12, 13, 14
LIMIT = 180  # seconds; every event is faster, even on a busy machine


class Frames:
    """Splits a byte stream into packets (section 2.2)."""

    def __init__(self):
        self.rest = b""

    def take(self, data):
        self.rest += data
        while (size := self.size()) and len(self.rest) >= size:
            yield self.rest[:size]
            self.rest = self.rest[size:]

    def size(self):
        length = 0
        for index, byte in enumerate(self.rest[1:5]):
            length |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                return 2 + index + length
        return None


def kind(packet):
    return packet[0] >> 4


def body(packet):
    start = next(index for index in range(1, 5) if packet[index] < 0x80) + 1
    return packet[start:]


def packet(head, content):
    length, size = len(content), b""
    while True:
        length, digit = length >> 7, length & 0x7F
        size += bytes([digit | (0x80 if length else 0)])
        if not length:
            return bytes([head]) + size + content


def text(string):
    return len(string).to_bytes(2, "big") + string.encode()


def topic_and_rest(packet):
    content = body(packet)
    end = 2 + int.from_bytes(content[:2], "big")
    return content[2:end].decode(), content[end:]


class Seen:
    """A received message."""

    def __init__(self, topic, payload, retained, at):
        self.topic, self.payload, self.retained, self.at = topic, payload, retained, at


def record(name):
    """A file for the messages of subscriber `name`, for the contract check; None without SIGHTLINE_SEEN."""
    folder = os.environ.get("SIGHTLINE_SEEN")
    return folder and open(pathlib.Path(folder, f"faults-{os.getpid()}-{name}.log"), "ab", 0)


class Subscriber:
    """Records all published messages with their time of arrival.

    A thread reads the socket: a message that the broker has acknowledged to its publisher is recorded, or in the
    socket's buffer. QoS 1, clean session."""

    names = itertools.count()

    def __init__(self, port, topic="#"):
        self.port, self.topic = port, topic
        self.seen, self.changed = [], threading.Condition()
        self.pongs, self.wire, self.broken = 0, None, True
        self.record = record(next(self.names))
        self.connect()

    def connect(self):
        """Connects, or connects again; retries until the broker accepts."""
        deadline = time.monotonic() + LIMIT
        while True:
            try:
                self.wire = socket.create_connection(("127.0.0.1", self.port), timeout=LIMIT)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
        self.wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        name = f"subscriber-{next(self.names)}"
        # Clean session, and no keep-alive: some tests stop the broker for a while.
        self.wire.sendall(packet(CONNECT << 4, text("MQTT") + b"\x04\x02\x00\x00" + text(name)))
        self.wire.sendall(packet(SUBSCRIBE << 4 | 2, b"\x00\x01" + text(self.topic) + b"\x01"))
        frames, waiting = Frames(), []
        while not any(kind(p) == SUBACK for p in waiting):
            data = self.wire.recv(65536)
            if not data:
                raise OSError("the broker closed the connection of the subscriber")
            waiting += frames.take(data)
        self.wire.settimeout(None)
        self.broken = False
        for one in waiting:
            self.handle(one)
        threading.Thread(target=self.read, args=(self.wire, frames), daemon=True).start()

    def read(self, wire, frames):
        try:
            while data := wire.recv(1 << 20):
                answers = b"".join(self.handle(p) for p in frames.take(data))
                if answers:
                    wire.sendall(answers)
        except OSError:
            pass
        wire.close()
        with self.changed:
            self.broken = True
            self.changed.notify_all()

    def handle(self, packet_):
        """Records the message and returns the answer to it."""
        with self.changed:
            answer = b""
            if kind(packet_) == PUBLISH:
                topic, rest = topic_and_rest(packet_)
                if packet_[0] & 6:
                    answer, rest = packet(PUBACK << 4, rest[:2]), rest[2:]
                self.seen.append(Seen(topic, rest, bool(packet_[0] & 1), time.time()))
                if self.record:
                    self.record.write(topic.encode() + b" " + rest + b"\n")
            elif kind(packet_) == PINGRESP:
                self.pongs += 1
            self.changed.notify_all()
            return answer

    def wait(self, condition, what):
        """Waits for a message that meets the condition, and returns the first one."""
        index, deadline = 0, time.monotonic() + LIMIT
        with self.changed:
            while True:
                for index in range(index, len(self.seen)):
                    if condition(self.seen[index]):
                        return self.seen[index]
                index = len(self.seen)
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError(f"timed out after {LIMIT} s: {what}")
                self.changed.wait(left)

    def wait_until_gone(self):
        """Waits until the broker has closed the connection and all its data is read."""
        with self.changed:
            assert self.changed.wait_for(lambda: self.broken, LIMIT), "the broker did not close the connection"

    def barrier(self):
        """Waits until all messages are recorded that the broker has sent up to now."""
        with self.changed:
            wanted = self.pongs + 1
        self.wire.sendall(packet(PINGREQ << 4, b""))
        with self.changed:
            if not self.changed.wait_for(lambda: self.pongs >= wanted, LIMIT):
                raise TimeoutError("the broker does not answer the subscriber")

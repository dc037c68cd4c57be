"""A client of MQTT 5 and 3.1.1 over TLS that can claim anything: identifiers, user names, wills, certificates."""

import socket
import ssl

from mqtt import CONNACK, CONNECT, LIMIT, PINGREQ, PINGRESP, PUBACK, PUBLISH, SUBACK, SUBSCRIBE
from mqtt import Frames, body, kind, packet, text

SUCCESS, NO_SUBSCRIBERS, NOT_AUTHORISED = 0, 0x10, 0x87


class Refused(Exception):
    """The connection ended without a CONNACK of success."""


class Client:
    """A connection; `messages` has the topics and payloads of all that it received."""

    def __init__(self, port, context, version=5, identifier="", username=None, will=None, clean=True):
        self.version, self.messages, self.retained, self.answers = version, [], [], []
        self.frames, self.number = Frames(), 0
        wire = socket.create_connection(("localhost", port), timeout=LIMIT)
        try:
            self.wire = context.wrap_socket(wire, server_hostname="localhost") if context else wire
            self.send(CONNECT << 4, self.hello(identifier, username, will, clean))
            answer = body(self.answer(CONNACK))
        except OSError as error:
            raise Refused(str(error)) from error
        if answer[1] != SUCCESS:
            raise Refused(f"CONNACK {answer[1]:#x}")
        self.has_session = bool(answer[0])

    def hello(self, identifier, username, will, clean):
        """The content of CONNECT (section 3.1 of both versions)."""
        flags = clean << 1 | (0x80 | 0x40 if username else 0) | (0x04 if will else 0)
        content = text("MQTT") + bytes([self.version, flags, 0, 0])
        # Session expiry interval: an hour.
        content += b"" if self.version < 5 else b"\0" if clean else b"\x05\x11\0\0\x0e\x10"
        content += text(identifier)
        if will:
            content += (b"\0" if self.version == 5 else b"") + text(will) + text("will")
        return content + (text(username) + text("secret") if username else b"")

    def send(self, head, content):
        self.wire.sendall(packet(head, content))

    def answer(self, wanted):
        """Reads until a packet of this kind arrives."""
        while True:
            for index, one in enumerate(self.answers):
                if kind(one) == wanted:
                    return self.answers.pop(index)
            data = self.wire.recv(65536)
            if not data:
                raise ConnectionResetError("the broker closed the connection")
            for one in self.frames.take(data):
                if kind(one) == PUBLISH:
                    self.received(one)
                else:
                    self.answers.append(one)

    def received(self, one):
        content = body(one)
        end = 2 + int.from_bytes(content[:2], "big")
        topic, rest = content[2:end].decode(), content[end:]
        if one[0] & 6:
            self.send(PUBACK << 4, rest[:2])
            rest = rest[2:]
        # The tests' properties are shorter than 128 bytes.
        payload = rest[1 + rest[0]:] if self.version == 5 else rest
        (self.retained if one[0] & 1 else self.messages).append((topic, payload.decode()))

    def publish(self, topic, payload="x", retain=False):
        """Publishes with QoS 1 and returns the reason; always success with MQTT 3.1.1."""
        self.number += 1
        head = PUBLISH << 4 | 2 | retain
        properties = b"\0" if self.version == 5 else b""
        self.send(head, text(topic) + self.number.to_bytes(2, "big") + properties + payload.encode())
        reason = body(self.answer(PUBACK))[2:3]
        return reason[0] if reason and reason[0] != NO_SUBSCRIBERS else SUCCESS

    def subscribe(self, *filters, quality=0):
        """Subscribes. Messages of quality 0 do not wait for acknowledgements: `barrier` comes after them."""
        for one in filters:
            self.number += 1
            properties = b"\0" if self.version == 5 else b""
            self.send(SUBSCRIBE << 4 | 2, self.number.to_bytes(2, "big") + properties + text(one) + bytes([quality]))
            self.answer(SUBACK)

    def barrier(self):
        """Waits until all is read that the broker has sent up to now; fails if the connection has ended."""
        self.send(PINGREQ << 4, b"")
        self.answer(PINGRESP)

    def is_alive(self):
        try:
            self.barrier()
            return True
        except OSError:
            return False

    def drop(self):
        """Closes the connection without DISCONNECT: the broker publishes the will."""
        self.wire.close()


def context(ca, pair=None):
    """The TLS settings of a client with authority `ca` and a certificate: PAIR.crt and PAIR.key."""
    settings = ssl.create_default_context(cafile=ca)
    if pair:
        settings.load_cert_chain(f"{pair}.crt", f"{pair}.key")
    return settings

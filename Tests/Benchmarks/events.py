"""Server-sent events for many clients, beside the same in C."""

import os
import select
import socket
import subprocess
import time

import figures
from figures import Row

CLIENTS = 500
RATE = 10  # events a second
BYTES = 200
SECONDS = 20
MARK = b"event: tick"


def watch(port, clients):
    """Reads the streams of all clients; returns the events of each one."""
    poll = select.epoll()
    sockets, tails, counts = {}, {}, {}
    for _ in range(clients):
        client = socket.create_connection(("127.0.0.1", port))
        client.sendall(b"GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
        sockets[client.fileno()], tails[client.fileno()], counts[client.fileno()] = client, b"", 0
        poll.register(client, select.EPOLLIN)
    end = time.monotonic() + SECONDS
    while (left := end - time.monotonic()) > 0:
        for number, _ in poll.poll(left):
            data = tails[number] + sockets[number].recv(65536)
            counts[number] += data.count(MARK)
            # A mark that is divided between two reads counts once.
            tails[number] = data[-(len(MARK) - 1):]
    for client in sockets.values():
        client.close()
    return list(counts.values())


def serve(program, clients=CLIENTS, rate=RATE, size=BYTES):
    """The share of a core, resident MB, and the events of the client that got least."""
    process = subprocess.Popen([program, str(rate), str(size)], stdout=subprocess.PIPE, text=True)
    begun = time.monotonic()
    counts = watch(int(process.stdout.readline()), clients)
    output, _ = process.communicate(timeout=120)
    cpu, resident, _ = map(int, output.split())
    return cpu / 1e6 / (time.monotonic() - begun), resident * 1024 / 1e6, min(counts)


def events():
    """500 clients, 10 events a second."""
    yardstick = figures.compiled("events.c", "-lmicrohttpd")
    plain, plain_memory, _ = serve(yardstick)
    cpu, memory, least = serve(os.path.join(figures.BIN, "http-bench"))
    name = f"{CLIENTS} streams, {RATE} events a second"
    expected = SECONDS * RATE - 2 * RATE
    yield Row(f"{name}: processor", f"{cpu:.1%} of a core", "2 times C", f"{plain:.1%}",
              f"{cpu / plain:.1f}", cpu <= 2 * plain)
    yield Row(f"{name}: memory", f"{memory:.1f} MB", "1.5 times C", f"{plain_memory:.1f} MB",
              f"{memory / plain_memory:.1f}", memory <= 1.5 * plain_memory)
    yield Row(f"{name}: least of a client", f"{least}", f"{expected}", kept=least >= expected)

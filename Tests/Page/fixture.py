"""A server with the API of sightline-server that answers from the generated day. Tests stop, restart and change it."""

import contextlib
import html
import json
import os
import queue as queues
import re
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

import day
import expect
from browser import PATIENCE

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Sources/Server/Page")
DYGRAPHS = "/usr/share/javascript/dygraphs"
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
POLICY = "default-src 'self'"


class Fixture:
    """The site's state. `start` opens the port, `stop` closes it and all connections."""

    # Seconds between two comments of a stream, as the server sends them.
    pulse = 15

    def __init__(self):
        self.token = None
        # Whether the present needs no token.
        self.is_public = True
        self.session = 1
        self.version = "0.0.0"
        self.numbers = 0
        self.log = []
        self.periods = None
        self.keeps_visits = True
        # Visits that are not final.
        self.provisional = []
        # What a simulation says: [time, people] by queue.
        self.truth = None
        self.news = threading.Condition()
        self.resumed = []
        self.has_resumed = threading.Event()
        self.streams = set()
        # A server without a place for another stream ends it after the present events.
        self.is_full = False
        # The status and the words of a refused stream.
        self.refusal = None
        # Answers to requests with these words end too early.
        self.cut = None
        self.connections = set()
        self.lock = threading.Lock()
        self.queues = {name: day.queue_now(name) for name in day.QUEUES}
        self.gateways = {one["gateway"]: one for one in day.GATEWAYS}
        self.regions = {}
        self.region_events = {}
        self.beacons = {}
        # The plan of the site, a GeoJSON; its zones and the places of beacons.
        self.plan = None
        self.zones = {}
        self.places = {}
        # The bodies of requests for labels, and the answer to them.
        self.labels = []
        self.label_answer = (200, {})
        self.definitions = {"regions": [], "changes": []}
        # The labels of the server.
        self.label_list = []
        self.beacon_events = []
        self.server = None
        self.port = 0

    def start(self):
        handler = type("Bound", (Handler,), {"site": self})
        ThreadingHTTPServer.daemon_threads = True
        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        # A page whose stream ends earlier comes back at once.
        with self.lock:
            for stream in self.streams:
                stream.put(None)
            # A browser keeps connections for later requests.
            for connection in self.connections:
                # The browser may have closed it already.
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def restart(self):
        """A new session, as after a restart of the process."""
        self.session += 1
        self.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def publish(self, kind, value):
        if kind == "queue":
            self.queues[value["queue"]] = value
        if kind == "region":
            self.regions[value["region"]] = value
        if kind == "zone":
            self.zones[value["zone"]] = value
        if kind == "place":
            self.places[value["beacon"]] = value
        if kind == "beacon":
            self.beacons[value["beacon"]] = value
        if kind == "gateway":
            self.gateways[value["gateway"]] = value
        with self.lock:
            self.numbers += 1
            for stream in self.streams:
                stream.put((self.numbers, kind, value))

    def asked(self, words):
        """Waits for a request with these words."""
        with self.news:
            return self.news.wait_for(lambda: any(words in one for one in self.log), PATIENCE)

    def snapshot(self):
        return {"server": {"version": self.version, "session": str(self.session), "connected": True, "durable": True, "truth": self.truth is not None, "startingPercent": None},
                "queues": list(self.queues.values()), "regions": list(self.regions.values()), "zones": list(self.zones.values()), "gateways": list(self.gateways.values())} | ({"truth": self.truth} if self.truth else {})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: Fixture

    def log_message(self, *_):
        pass

    def setup(self):
        super().setup()
        with self.site.lock:
            self.site.connections.add(self.connection)

    def finish(self):
        with self.site.lock:
            self.site.connections.discard(self.connection)
        with contextlib.suppress(OSError):
            super().finish()

    def handle(self):
        with contextlib.suppress(OSError):
            super().handle()

    def answer(self, status, kind, body):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.site.cut and self.site.cut in self.path:
            body, self.close_connection = body[:-1], True
        self.wfile.write(body)

    def json(self, value, status=200, kind="application/json"):
        self.answer(status, kind, json.dumps(value).encode())

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if urlsplit(self.path).path != f"/api/v1/sites/{day.SITE}/labels":
            return self.json({"title": "There is no such thing."}, 404, "application/problem+json")
        self.site.labels.append(body)
        status, answer = self.site.label_answer
        self.json(answer, status, "application/json" if status == 200 else "application/problem+json")

    def do_PUT(self):
        body, name = json.loads(self.rfile.read(int(self.headers["Content-Length"]))), urlsplit(self.path).path.rpartition("/")[2]
        definition = {"region": name} | body
        self.site.definitions["regions"] = [one for one in self.site.definitions["regions"] if one["region"] != name] + [
            {"region": name, "source": "page", "definition": definition}]
        self.site.definitions["changes"].insert(0, {"at": day.NOW, "region": name, "client": "anna", "definition": definition})
        self.json(self.site.definitions["regions"][-1])

    def do_DELETE(self):
        label = urlsplit(self.path).path.rpartition("/")[2]
        if "/definitions/" in self.path:
            self.site.definitions["regions"] = [one for one in self.site.definitions["regions"] if one["region"] != label]
            return self.json(self.site.definitions)
        self.site.label_list = [one for one in self.site.label_list if one["id"] != label]
        self.json({"id": label})

    def do_GET(self):
        url = urlsplit(self.path)
        with self.site.news:
            self.site.log.append(self.path)
            self.site.news.notify_all()
        try:
            if url.path.startswith("/api/v1/"):
                self.api(url.path.removeprefix("/api/v1/"), {name: values[0] for name, values in parse_qs(url.query).items()})
            else:
                self.file(url.path)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def file(self, path):
        if path == "/":
            page = open(os.path.join(PAGE, "index.html"), encoding="utf-8").read()
            return self.answer(200, TYPES[".html"], page.replace("<!-- queues -->", table(self.site.queues.values())).encode())
        match = re.fullmatch(r"/page/(dygraphs/)?([a-z0-9.-]+)", path)
        folder = DYGRAPHS if match and match[1] else PAGE
        name = os.path.join(folder, match[2]) if match else ""
        if not os.path.isfile(name):
            return self.json({"title": "There is no such page."}, 404, "application/problem+json")
        self.answer(200, TYPES[os.path.splitext(name)[1]], open(name, "rb").read())

    def api(self, path, query):
        site = self.site
        if not site.is_public and self.headers["Authorization"] != f"Bearer {site.token}":
            return self.json({"title": "A token is needed."}, 401, "application/problem+json")
        if path == "sites":
            return self.json({"sites": [{"site": day.SITE, "timeZone": day.ZONE, "day": {"start": day.DAY_START, "end": day.DAY_START + 24 * day.HOUR}, "queues": list(day.QUEUES), "regions": list(site.regions), "zones": list(site.zones), "beacons": len(site.beacons), "gateways": list(day.ROLES)}]})
        if path == "stream":
            return self.stream()
        if path == f"sites/{day.SITE}/gateways":
            return self.json({"gateways": list(site.gateways.values())})
        if path == f"sites/{day.SITE}/queues":
            return self.json({"queues": list(site.queues.values())})
        if path == f"sites/{day.SITE}/plan" and site.plan:
            return self.json(site.plan)
        if path == f"sites/{day.SITE}/places":
            if site.token and self.headers["Authorization"] != f"Bearer {site.token}":
                return self.json({"title": "A token is needed."}, 401, "application/problem+json")
            return self.json({"places": list(site.places.values())})
        if path == f"sites/{day.SITE}/definitions":
            return self.json(site.definitions)
        if path == f"sites/{day.SITE}/labels":
            return self.json({"labels": site.label_list})
        if path in (f"sites/{day.SITE}/beacons", f"sites/{day.SITE}/beacons/events"):
            if site.token and self.headers["Authorization"] != f"Bearer {site.token}":
                return self.json({"title": "A token is needed."}, 401, "application/problem+json")
            return self.json({"events": site.beacon_events, "truncated": False} if path.endswith("events") else {"beacons": list(site.beacons.values())})
        if match := re.fullmatch(rf"sites/{day.SITE}/regions/([a-z-]+)/events", path):
            if site.token and self.headers["Authorization"] != f"Bearer {site.token}":
                return self.json({"title": "A token is needed."}, 401, "application/problem+json")
            return self.json({"keptFrom": day.NOW - 24 * day.HOUR, "events": site.region_events.get(match[1], []), "truncated": False})
        match = re.fullmatch(rf"sites/{day.SITE}/queues/([a-z]+)(?:/([a-z]+))?", path)
        if not match or match[1] not in day.QUEUES:
            return self.json({"title": "There is no such thing."}, 404, "application/problem+json")
        name, part = match[1], match[2]
        if part in ("history", "visits", "evidence") and site.token and self.headers["Authorization"] != f"Bearer {site.token}":
            return self.json({"title": "A token is needed."}, 401, "application/problem+json")
        start, end = int(query.get("from", 0)), int(query.get("to", day.NOW))
        if part is None:
            self.json(site.queues[name])
        elif part == "typical":
            self.json(day.typical(name, int(query.get("weekday", 6))))
        elif part == "visits":
            if not site.keeps_visits:
                return self.json({"detail": "The server keeps no visits."}, 404, "application/problem+json")
            self.json({"keptFrom": day.NOW - 24 * day.HOUR, "visits": day.visits(name, start, end), "provisional": site.provisional, "truncated": False})
        elif part == "evidence":
            self.json(day.evidence(name, start, end) | ({"truth": site.truth.get(name, [])} if site.truth else {}))
        else:
            self.json({"site": day.SITE, "queue": name, "step": query["step"], "from": start, "to": end, "periods": site.periods if site.periods is not None else history(name, query["step"], start, end)})

    def stream(self):
        site, mailbox = self.site, queues.Queue()
        if site.refusal:
            return self.json({"detail": site.refusal[1]}, site.refusal[0], "application/problem+json")
        self.send_response(200)
        for name, value in (("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"), ("Connection", "close")):
            self.send_header(name, value)
        self.end_headers()
        last = self.headers["Last-Event-ID"]
        with site.lock:
            site.streams.add(mailbox)
            if last:
                site.resumed.append(last)
                site.has_resumed.set()
            if not last or not last.startswith(f"{site.session}."):
                mailbox.put((site.numbers, "snapshot", site.snapshot()))
            else:
                mailbox.put("")
            if site.is_full:
                mailbox.put(None)
        try:
            self.wfile.write(f"retry: {1500 if site.is_full else 500}\n".encode())
            while (event := self.next(mailbox)) is not None:
                text = ": alive\n\n" if event == "" else f"id: {site.session}.{event[0]}\nevent: {event[1]}\ndata: {json.dumps(event[2])}\n\n"
                self.wfile.write(text.encode())
                self.wfile.flush()
        except OSError:
            pass
        finally:
            with site.lock:
                site.streams.discard(mailbox)
            self.close_connection = True

    def next(self, mailbox):
        """The next event; an empty one for a comment."""
        try:
            return mailbox.get(timeout=self.site.pulse)
        except queues.Empty:
            return ""


def history(name, step, start, end):
    if step == "minute":
        return [day.minute(name, at) for at in range(start // day.MINUTE * day.MINUTE, min(end, day.NOW), day.MINUTE)]
    return day.longer(name, start, end, {"hour": day.HOUR, "day": 24 * day.HOUR}[step])


def table(documents):
    """The plain table for browsers without JavaScript, as the server writes it."""
    head = ("State", "Since", "People in line", "Wait", "Past forecasts", "Their mean error", "1 in 10 above", "Tills open", "Share with a beacon",
            "Not hearing")
    rows = "".join(
        f'<tr><td data-name="Site">{day.SITE}</td><th scope="row">{html.escape(one["queue"])}</th>' + "".join(
            f'<td data-name="{name}">{html.escape(text)}</td>' for name, text in zip(head, expect.plain(one, day.ZONE)[2:])) + "</tr>" for one in documents)
    names = "".join(f'<th scope="col">{name}</th>' for name in ("Site", "Queue", *head))
    return f'<table class="queue-table"><caption>Load this page again for newer numbers.</caption><thead><tr>{names}</tr></thead><tbody>{rows}</tbody></table>'

"""sightline-server: messages a second, a store with browsers, windows that wait, and a restart within a full day."""

import os
import time

import events
import figures
import processes
import server_bench
from figures import Row
from processor import processor_of_all
from store import GATEWAYS, QUEUES, Browsers, Gateways, Questions, resident, running, site, stored, wait_for

STORES = int(os.environ.get("BENCHMARK_STORES", 1000))
CHAIN_TAGS = 10
WARM_UP = 5  # seconds
CHAIN_SECONDS = 20
MOST_DELAY = 5  # seconds; a server that does not keep up is behind by more
BROWSERS = 100
CLOSED = 180  # seconds before the first person; two minutes after the first window, nobody who comes is in doubt
BROWSER_SECONDS = 60
FOLDED = "day read from the store"
DAY_HOURS = float(os.environ.get("BENCHMARK_DAY_HOURS", 4))


def chain():
    """Hundreds of stores of 4 gateways, a window a second, beside a C program that stores the messages unread."""
    names = [f"store-{number}" for number in range(STORES)]
    with running([site(name, QUEUES[:1]) for name in names]) as (broker, server):
        ours, delay = cost(broker, server.process.pid, names, lambda: stored(server))
        memory, _ = resident(server.process.pid)
        server.stop()
    with running(None) as (broker, _):
        keeper = processes.Program(figures.compiled("keeper.c", "-lmosquitto", "-lsqlite3"), str(broker.port), f"{broker.folder}/keeper")
        keeper.says("subscribed")
        theirs, _ = cost(broker, keeper.process.pid, names, lambda: int("0" + keeper.lines[-1].lstrip("subscribed")))
        keeper.kill()
    yield Row(f"{STORES:,} stores of 4 gateways: a message of {CHAIN_TAGS} sightings, stored", f"{ours * 1e6:.0f} µs", "",
              f"{theirs * 1e6:.0f} µs", f"{ours / theirs:.1f}")
    yield Row("  messages a second that one core carries", f"{1 / ours:,.0f}", "4,000", f"{1 / theirs:,.0f}", kept=1 / ours >= 4000)
    yield Row(f"  at {STORES * 4:,} a second, the last one is stored after", f"{delay:.2f} s", f"{MOST_DELAY} s", kept=delay < MOST_DELAY)
    yield Row("  resident memory", f"{memory:.0f} MiB")


def cost(broker, pid, names, count):
    """The processor time of a message, and the time from the last message until all are stored."""
    gateways = Gateways(broker.port, names, GATEWAYS[:4], CHAIN_TAGS)
    for number in range(WARM_UP + CHAIN_SECONDS):
        if number == WARM_UP:
            spent, sent = processor_of_all(pid), gateways.sent
        gateways.burst()
    gateways.publisher.finish()
    end = time.monotonic()
    wait_for(count, gateways.sent)
    return (processor_of_all(pid) - spent) / (gateways.sent - sent), time.monotonic() - end


def browsers():
    """Eight gateways with 25 sightings a message, and 100 open pages, beside a C program that sends the same events."""
    with running([site()]) as (broker, server):
        pid, gateways, pages = server.process.pid, Gateways(broker.port), Browsers(f"{server.folder}/http", BROWSERS)
        now = int(time.time())
        gateways.closed(range(now - CLOSED, now + 1))
        for _ in gateways.live(WARM_UP):
            pass
        begun, spent, count, size = time.monotonic(), processor_of_all(pid), pages.events, pages.bytes
        sent = {second * 1000: at for second, at in gateways.live(BROWSER_SECONDS)}
        elapsed = time.monotonic() - begun
        share, count, size = (processor_of_all(pid) - spent) / elapsed, pages.events - count, pages.bytes - size
        memory, own = resident(pid)
        delays = [delay * 1000 for delay in pages.delays(sent)]
        server.stop()
    # A state that never reached a page has no delay. Only changed states are published, about one of two.
    states, complete = pages.states(sent)
    least = len(QUEUES) * BROWSER_SECONDS // 4
    rate = max(1, round(count / BROWSERS / elapsed))
    plain, _, _ = events.serve(figures.compiled("events.c", "-lmicrohttpd"), BROWSERS, rate, size // count)
    yield Row(f"{len(GATEWAYS)} gateways, {len(QUEUES)} queues, {BROWSERS} browsers: processor", f"{share:.2%} of a core", "5 %", f"{plain:.2%}",
              f"{share / plain:.1f}", share < 0.05)
    yield Row("  resident memory (own)", f"{memory:.0f} ({own:.0f}) MiB", "40 MiB", kept=memory < 40)
    yield Row("  states; of these on each page", f"{states}, {complete}", f"{least}, all", kept=states == complete >= least)
    late = delays[len(delays) * 99 // 100]
    yield Row("  from a second's last message to the page: median, 99 %", f"{delays[len(delays) // 2]:.0f}, {late:.0f} ms", "300 ms",
              kept=late < 300)


def hole():
    """An hour in which one of eight gateways is silent, in a hundred seconds: the others' windows wait. Then its own arrive."""
    with running([site()]) as (broker, server):
        now = int(time.time())
        gateways, silent = Gateways(broker.port, names=GATEWAYS[:-1]), Gateways(broker.port, names=GATEWAYS[-1:])
        gateways.backlog(range(now - 3600, now), rate=36)
        wait_for(lambda: stored(server), gateways.sent)
        _, most = server.memory
        questions = Questions(server)
        silent.backlog(range(now - 3600, now))
        wait_for(lambda: stored(server), gateways.sent + silent.sent)
        # The results follow in the next seconds.
        server_bench.eventually(lambda: server.query("SELECT count(*) > 60 FROM minutes WHERE final") == [(1,)], "final minutes")
        questions.end()
        server.stop()
    yield Row("an hour of 7 gateways behind a silent one: resident memory", f"{most:.0f} MiB", "40 MiB", kept=most < 40)
    yield Row("  then its messages arrive: the slowest answer", f"{questions.slowest * 1000:.0f} ms", "300 ms", kept=questions.slowest < 0.3)


def day():
    """A backlog of hours from the broker, and a restart after it."""
    with running([site()]) as (broker, server):
        gateways, now, begun = Gateways(broker.port), int(time.time()), time.monotonic()
        gateways.backlog(range(now - int(DAY_HOURS * 3600), now))
        wait_for(lambda: stored(server), gateways.sent)
        rate = gateways.sent / (time.monotonic() - begun)
        _, most = server.memory
        yield Row(f"{DAY_HOURS:.0f} hours of 8 gateways from the broker: resident memory", f"{most:.0f} MiB", "40 MiB", kept=most < 40)
        yield Row("  messages a second", f"{rate:,.0f}")
        server.stop()
        starts, questions = server.text.count(FOLDED), Questions(server)
        server.start()
        while server.text.count(FOLDED) == starts:
            time.sleep(0.01)
        whole, spent = time.monotonic() - questions.begun, processor_of_all(server.process.pid)
        questions.end()
        _, most = server.memory
        server.stop()
    yield Row("  restart: the first answer after", f"{questions.first * 1000:.0f} ms", "1 s", kept=questions.first < 1)
    yield Row("  the slowest answer meanwhile", f"{questions.slowest * 1000:.0f} ms", "300 ms", kept=questions.slowest < 0.3)
    yield Row("  the numbers of the day are there after (processor)", f"{whole:.0f} s ({spent:.0f} s)")
    yield Row("  resident memory", f"{most:.0f} MiB", "40 MiB", kept=most < 40)

"""Scenarios of faults around the agent, after which the account must close: every number is there or declared,
repetitions are identical, and what the radio delivered was counted once."""

import statistics
import time

import cable
import clock
import guest
from account import Account
from guest import PORT, Agent, Broker, Subscriber
from guest import expect, is_deaf, wait_for
from mending import at_the_shelf, states
from network import FAR, INSIDE, Network

SLOW = "delay 300ms 100ms loss 8% reorder 25% 50%".split()
KEEP_ALIVE = 5  # seconds, the shortest


class Trial:
    """What was done to one gateway, how soon it recovered, and what its subscriber has received."""

    def __init__(self, name, subscriber):
        self.name, self.subscriber = name, subscriber
        self.faults, self.recoveries = 0, []

    def account(self, steps=False):
        account = Account(steps=steps)
        for payload in self.subscriber.payloads("sightings"):
            account.add(payload)
        return account

    def recovered(self, seconds):
        self.faults += 1
        self.recoveries.append(seconds)

    def close(self, steps=False):
        """The account, which must be without faults; says what it holds."""
        account = self.account(steps)
        faults = account.faults()
        expect(not faults, f"{self.name}: {'; '.join(faults[:3])}")
        return account

    def tell(self, account, more):
        """A row for the summary, as Tests/Faults has them, and a line of what else there is to say."""
        figures, times = account.figures(), self.recoveries
        row = [self.name, self.faults] + [figures[name] for name in (
            "messages", "lost", "merged", "duplicates")]
        row.append(f"{statistics.median(times):.1f} / {max(times):.1f} s")
        guest.ROWS.append("| " + " | ".join(str(cell) for cell in row) + " |")
        print(f"      {self.name}: {more}", flush=True)

    def has_all(self, steps=False):
        """Whether nothing is on its way any more, as far as numbers tell."""
        return not self.account(steps).faults()


def end_all(radio, agent, subscriber):
    """The radio first, so that all that it delivered was there to be heard."""
    expect(radio.end() == 0, "the virtual radio failed")
    wait_for(lambda: is_deaf(subscriber.batches()[-1]), "a deaf window at the end")
    expect(agent.end() == 0, "the agent did not end cleanly")
    wait_for(lambda: states(subscriber)[-1] == "offline", "its last word")


def check_counts(account, path):
    """All that the world delivered was counted, once."""
    delivered, counted = cable.tally(path), dict(account.counts())
    dropped = sum(s.value.get("radio", {}).get("dropped", 0)
                  for session in account.sessions.values() for s in session.messages)
    expect(dropped == 0 and counted == delivered,
           f"counted {counted} of {delivered}, {dropped} packets dropped")
    return sum(counted.values())


def network_is_slow_and_cut():
    """Late, lossy and out of order; then cut for less than the keep-alive, and for more."""
    tally = f"{guest.STATE}.tally"
    with Network() as network, Broker(PORT + 2, *INSIDE, host="0.0.0.0"), \
            Subscriber("far", PORT + 2, *INSIDE) as subscriber, \
            at_the_shelf("02:00:5e:00:53:40", "--tally", tally) as radio:
        trial = Trial("network slow, lossy, cut (VM)", subscriber)
        mqtt = {"host": FAR, "port": PORT + 2, "keepAliveSeconds": KEEP_ALIVE}
        with Agent("far", radio.adapters[0].name, mqtt=mqtt) as agent:
            wait_for(lambda: len(subscriber.hearing()) >= 2, "sightings")
            network.disturb(*SLOW)
            time.sleep(15)
            expect(network.lost() > 0, "netem has lost nothing")
            network.clear()
            recover(trial)
            for seconds in (KEEP_ALIVE - 2, 2 * KEEP_ALIVE + 3):
                network.cut()
                time.sleep(seconds)
                network.connect()
                recover(trial)
            wait_for(trial.has_all, "what had to wait")
            end_all(radio, agent, subscriber)
        account = trial.close()
        trial.tell(account, f"{check_counts(account, tally)} reports, each counted once")


def recover(trial):
    """Waits for a window that ended after this moment."""
    now, start = time.time() * 1000, time.monotonic()
    wait_for(lambda: trial.subscriber.batches()[-1:][0]["window"]["end"] > now, "new windows")
    trial.recovered(time.monotonic() - start)


def clock_is_wrong_through_an_outage():
    """Hours off and undisciplined; good after an outage; then set both ways while it is bad, and good once more."""
    try:
        clock_is_wrong(f"{guest.STATE}.tally", truth=time.time() * 1000 - clock.boot())
    finally:
        clock.discipline()


def clock_is_wrong(tally, truth):
    clock.step(-5)
    clock.neglect()
    remembering = {"host": "127.0.0.1", "remembers": True}
    broker = Broker(PORT + 2, **remembering)
    with Subscriber("till-1", PORT + 2, stays=True) as subscriber, \
            at_the_shelf("02:00:5e:00:53:41", "--tally", tally) as radio:
        trial, begun = Trial("clock wrong and set by hours, with an outage (VM)", subscriber), clock.boot()
        with Agent("till-1", radio.adapters[0].name, port=PORT + 2) as agent:
            agent.until(lambda: agent.says("scanning"), "the agent to scan")
            scanning = clock.boot()
            time.sleep(3)
            broker.end()
            time.sleep(5)
            clock.step(+5)
            clock.discipline()
            good = clock.boot()
            time.sleep(2)
            broker = Broker(PORT + 2, **remembering)
            with broker:
                synced = lambda: [b for b in subscriber.batches() if b["clock"] == "synced"]
                wait_for(synced, "windows with a good clock")
                trial.recovered((clock.boot() - good) / 1000 - 2)
                wait_for(lambda: clocks(subscriber)[-1] == "synced", "a status with a good clock")
                # The backlog is stamped when it is sent.
                wait_for(lambda: trial.has_all(steps=True), "what had to wait")
                clock.neglect()
                wait_for(lambda: clocks(subscriber)[-1] == "unsynced", "a status with a bad clock")
                for hours in (+3, -7):
                    clock.step(hours)
                    trial.faults += 1
                    time.sleep(2)
                clock.step(+4)
                clock.discipline()
                trial.faults += 1
                wait_for(lambda: clocks(subscriber)[-1] == "synced", "a good clock again")
                time.sleep(1)
                end_all(radio, agent, subscriber)
                account = trial.close(steps=True)
        expect(clocks(subscriber) == ["unsynced", "synced", "unsynced", "synced"],
               f"status: {clocks(subscriber)}")
        expect(len(agent.says("clock was set")) == 4, "steps were not told once each")
        [session] = account.sessions.values()
        check_times(session.messages, truth + begun, truth + scanning)
        restamped = [m for m in session.messages if m.value["clock"] == "synced"
                     and m.end <= truth + good]
        expect(len(restamped) >= 3, f"{len(restamped)} windows of the outage were stamped anew")
        trial.tell(account, f"{check_counts(account, tally)} reports, each counted once; "
                   f"{len(restamped)} windows stamped anew")


def clocks(subscriber):
    """What status said of the clock, each change once."""
    said = [m["clock"] for m in subscriber.messages("status") if m["state"] != "offline"]
    return [c for index, c in enumerate(said) if index == 0 or c != said[index - 1]] or [None]


def check_times(messages, earliest, latest):
    """Windows lie end to end from the first scan on; with a good clock, where they belong on the true timeline. The
    last one has a good clock."""
    at = messages[-1].end
    for message in reversed(messages):
        length = message.end - message.start
        expect(0 <= length <= 10_000, f"{message}: a window of {length} ms")
        if message.value["clock"] == "synced":
            expect(abs(message.end - at) <= 5, f"{message} ended at {at}, in truth")
            at = message.end
        at -= length
    expect(earliest <= at <= latest, f"the windows begin at {at}, not in {earliest}…{latest}")


SCENARIOS = [
    network_is_slow_and_cut,
    clock_is_wrong_through_an_outage,
]

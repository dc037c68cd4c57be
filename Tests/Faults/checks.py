"""Comparisons of a gateway's received messages with the reports that its radio delivered."""

import collections
import shlex

import processes
from processes import expect


def of_runs(gateway, received):
    """For each run: its sessions, and the counts that the radio delivered to it."""
    sessions, hosts = list(received.sessions.values()), gateway.radio.hosts
    for run, after in zip(gateway.runs, gateway.runs[1:] + [None]):
        def within(moment):
            return int(run.begun) <= moment and (after is None or moment < int(after.begun))

        delivered = sum((c for at, c in hosts if within(at)), collections.Counter())
        yield run, [s for s in sessions if within(s.begun)], delivered


def expect_sound(received, killed=None, excused=()):
    faults = received.faults(killed, excused)
    expect(not faults, f"{len(faults)} faults, such as: " + "; ".join(faults[:3]))


def check_killed(gateway, received, slack, edge=0):
    """After a kill, only reports that the agent had not stored are missing, of each run and identity. After a clean
    end, at most `edge` reports of each identity are missing, which were in transit."""
    allowed = gateway.window + gateway.outbox["spillAfterMs"] + slack
    killed, most = {}, 0
    for run, sessions, delivered in of_runs(gateway, received):
        expect(len(sessions) <= 1, f"a run has {len(sessions)} sessions")
        counted = received.counts([s.name for s in sessions])
        missing = {name: n - counted[name] for name, n in delivered.items()}
        more = [name for name in counted if counted[name] > delivered[name]]
        expect(not more, f"counted more reports than the radio delivered: {more}")
        if not run.killed:
            expect(max(missing.values(), default=0) <= edge, f"missing after a clean end: {missing}")
            continue
        # All windows up to this time arrived.
        known = max([s.end for s in sessions] + [run.begun])
        for session in sessions:
            killed[session.name] = run.killed_at - allowed
        expect(known >= run.killed_at - allowed or not any(missing.values()),
               f"the last {run.killed_at - known:.0f} ms before a kill are missing, not {allowed}")
        holes = sum(len(s.undeclared) for s in sessions)
        gap = (run.ended - known + holes * gateway.window) / 1000
        if any(missing.values()):
            most = max(most, run.killed_at - known)
        for name, number in missing.items():
            expect(number <= gap / processes.INTERVAL + 2 + 2 * holes, f"{number} of {name} in {gap:.3f} s")
    expect_sound(received, killed)
    return most


def check_exact(gateway, received):
    """Every report that the radio delivered is in the messages exactly once."""
    expect_sound(received)
    delivered, counted = +gateway.radio.total, received.counts()
    differing = {n: (delivered[n], counted[n]) for n in delivered | counted
                 if delivered[n] != counted[n]}
    expect(not differing, f"delivered and counted: {differing}")


def check_runs(gateway, received):
    """In each run, every report that the radio delivered is in the messages exactly once, unless it came during the end."""
    for run, sessions, delivered in of_runs(gateway, received):
        counted = received.counts([s.name for s in sessions])
        expect(all(0 <= delivered[name] - counted[name] <= run.unread for name in delivered | counted),
               f"delivered {+delivered}, counted {+counted} in one run, of which {run.unread} came during its end")


def check_within(gateway, received):
    """After damage, no report is invented, and every missing number was declared: by a message,
    or in the log by its session and number, or by a count, if neither head nor body of a batch was readable.
    Returns the number of batches declared by count, and of files without a count."""
    told, log = set(), Log(gateway.words)
    unknown = 0
    for session in received.sessions.values():
        missing = set(session.missing)
        spans = session.spans + log.spans[session.name]
        declared = sum(batches for _, _, batches in spans)
        # A batch that was sent, unacknowledged and then damaged is declared lost although it arrived.
        arrived = {n for low, high, _ in spans for n in range(low, high + 1)} - missing
        reasons = log.reasons | {m.lost["reason"] for m in session.messages if m.lost}
        expect(declared <= len(missing) + (len(arrived) if "outbox-damaged" in reasons else 0),
               f"{gateway.id}: {session.name} declares {spans}, and misses only {sorted(missing)}")
        outside = [n for n in missing if not any(low <= n <= high for low, high, _ in spans)]
        unknown += max(len(outside), len(missing) - declared)
        if len(missing) != session.declared or outside:
            told.add(session.name)
    expect(unknown <= log.unknown or log.unknowing,
           f"{gateway.id}: {unknown} numbers are missing, and the log declares {log.unknown} without a number")
    expect_sound(received, excused=told)
    for run, sessions, delivered in of_runs(gateway, received):
        counted = received.counts([s.name for s in sessions])
        more = {n: (delivered[n], counted[n]) for n in counted if counted[n] > delivered[n]}
        expect(not more, f"delivered and counted: {more}")
    missing = sum((+gateway.radio.total).values()) - sum(received.counts().values())
    # At the end of each run, the agent may leave one or two events unread.
    allowed = 40 * len(gateway.runs)
    expect(missing <= allowed or log.damages or received.figures()["lost"],
           f"{missing} reports are missing, and neither a message nor the log declares them")
    return unknown, log.unknowing


class Log:
    """The losses that an agent's log declares: `spans` by session and their `reasons`, `unknown` batches without
    session and number, `damages` of the file, and the number of these without a count (`unknowing`)."""

    def __init__(self, lines):
        self.spans = collections.defaultdict(list)
        self.damages = self.unknown = self.unknowing = 0
        self.reasons = set()
        for line in lines:
            words = dict(word.split("=", 1) for word in shlex.split(line) if "=" in word)
            if "no later message of their session can declare it" in line:
                self.spans[words["session"]].append(
                    (int(words["from"]), int(words["to"]), int(words["batches"])))
                self.reasons.add(words["reason"])
            elif "outbox file corrupt: renamed" in line:
                self.damages += 1
                if "unknown" in (words["batches"], words["losses"]):
                    self.unknowing += 1
                else:
                    known = int(words["recovered"]) + int(words["lost"])
                    self.unknown += max(0, int(words["batches"]) - known)

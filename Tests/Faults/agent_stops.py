"""Stops of the agent by the system (SIGSTOP), as swapping, a frozen cgroup or a suspended machine cause them."""

import os
import signal
import time

import processes
from checks import check_exact
from lateness import Lateness
from processes import INTERVAL, expect
from testbed import Results, Testbed

# A wake-up may be this late without a deaf window, and the radio's reports may be late, in ms.
TOLERANCE, SLACK = 500, 200


def agent_stopped(options):
    """agent stopped (SIGSTOP) for up to 6 s, and continued"""
    results = Results(agent_stopped)
    with Lateness() as lateness, Testbed() as testbed:
        for window in (100, 1000, 5000):
            testbed.gateway({"windowMs": window}).start()
        spans = []
        for seconds in [2, 3, 6] * 10 if options.soak else [6]:
            for gateway in testbed.gateways:
                testbed.live_after(gateway, processes.now())
            begun = processes.now()
            for gateway in testbed.gateways:
                gateway.agent.send(signal.SIGSTOP)
            for gateway in testbed.gateways:
                os.waitid(os.P_PID, gateway.agent.process.pid, os.WSTOPPED)
            stopped = processes.now()
            time.sleep(seconds)
            ended = processes.now()
            for gateway in testbed.gateways:
                gateway.agent.send(signal.SIGCONT)
            spans.append((begun, stopped, ended))
            results.fault()
            for gateway in testbed.gateways:
                results.recovered(testbed.live_after(gateway, ended), ended)
        testbed.in_parallel(lambda gateway: gateway.drain())
        for gateway, received in testbed.received(results):
            check_exact(gateway, received)
            for session in received.sessions.values():
                for message in session.messages:
                    check_counts(message, SLACK + 2 * lateness.most)
                for span in spans:
                    check_span(gateway, session.messages, *span)
    return results


def is_deaf(message):
    return message.value.get("radio", {}).get("state") == "deaf"


def check_counts(message, slack):
    """A window counts no more reports of a beacon than the beacon can send in its time."""
    most = (message.end - message.start + TOLERANCE + slack) / (1000 * INTERVAL) + 2
    for sighting in message.value["sightings"]:
        expect(sighting["count"] <= most, f"{message}: {sighting['count']} reports, at most {most:.0f} fit")


def check_span(gateway, messages, begun, stopped, ended):
    """A deaf window covers the time in which the agent did not run, and not much more."""
    deaf = [m for m in messages if is_deaf(m) and m.start < ended and m.end > begun]
    # The agent ran when it published its latest message before the stop, and when it published the deaf window.
    ran = max(m.end for m in messages if 1000 * m.at <= begun)
    expect(any(ran - 1 <= m.start <= stopped + 1 and ended - 1 <= m.end <= 1000 * m.at + 1 for m in deaf),
           f"{gateway.id}: no deaf window from {begun:.0f} to {ended:.0f}: {[str(m) for m in deaf]}")


SCENARIOS = [agent_stopped]

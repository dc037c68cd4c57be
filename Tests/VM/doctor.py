"""`sightline doctor` on the kernel's adapters: its results, and that it does not disturb a running agent."""

import json
import os
import subprocess

import guest
from guest import PORT, STATE, Agent, Subscriber
from guest import check_stream, expect, run, virtual_radio, wait_for


def doctor(source, *launcher, gateway="till-1"):
    """The results by check, and the failed checks, for a gateway with radio `source`."""
    state = f"{STATE}/{gateway}"
    os.makedirs(state, exist_ok=True)
    path = f"{STATE}/{gateway}-doctor.json"
    with open(path, "w") as file:
        json.dump({"gateway": {"site": "vm", "id": gateway}, "stateDirectory": state,
                   "mqtt": {"host": "127.0.0.1", "port": PORT}, "radio": {"source": source}}, file)
    done = subprocess.run(
        [*launcher, f"{guest.BIN}/sightline", "doctor", "--config", path, "--seconds", "2", "--json"],
        capture_output=True, text=True)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    expect(found, f"no output: {done.stderr}")
    wrong = [f for f in found if f["outcome"] == "wrong"]
    expect(done.returncode == (1 if wrong else 0), f"exit code {done.returncode}: {found}")
    return {f["check"]: f for f in found}, [f["check"] for f in wrong]


def is_up(adapter):
    return "UP" in run("hciconfig", adapter.name).split()


def doctor_of_a_shared_adapter():
    with virtual_radio("legacy") as radio:
        [adapter] = radio.adapters
        found, wrong = doctor(adapter.name)
        expect(not wrong, f"something is wrong with an adapter that is up: {found}")
        expect("of iBeacons; the strongest is" in found["reports"]["message"], f"{found['reports']}")
        expect("legacy" in found["commands"]["message"], f"{found['commands']}")
        expect(is_up(adapter), "the adapter is not up any more")
        nobody = ("setpriv", "--reuid", "nobody", "--clear-groups", "--inh-caps", "-all")
        found, wrong = doctor(adapter.name, *nobody)
        expect("sudo" in found["permission"]["message"], f"{found['permission']}")
        expect(found["reports"]["outcome"] == "skipped", f"{found['reports']}")
        adapter.down()
        found, wrong = doctor(adapter.name)
        expect(not wrong, f"something is wrong with an adapter that the agent switches on: {found}")
        expect(found["power"]["outcome"] == "warning", f"the adapter that is down is not reported: {found['power']}")
        expect(found["reports"]["outcome"] == "skipped", f"{found['reports']}")
        expect(not is_up(adapter), "the adapter was brought up")
        found, wrong = doctor("hci7")
        expect(wrong == ["adapter"], f"the missing adapter is not reported: {found}")


def doctor_of_an_adapter_of_its_own():
    with virtual_radio("extended") as radio:
        [adapter] = radio.adapters
        own = adapter.name + ":user"
        found, wrong = doctor(own)
        expect(wrong == ["power"], f"the adapter that is up is not reported: {found}")
        adapter.down()
        found, wrong = doctor(own)
        expect(not wrong, f"something is wrong with an adapter that is down: {found}")
        expect("of iBeacons" in found["reports"]["message"], f"{found['reports']}")
        expect(not is_up(adapter), "the adapter was left up")
        with Agent("till-2", own) as agent:
            agent.until(lambda: agent.says("scanning"), "the agent to scan")
            for source in (own, adapter.name):
                found, wrong = doctor(source)
                expect(wrong in (["owner"], ["power"]), f"the program that uses the adapter is not reported: {found}")


def doctor_beside_a_running_agent():
    with virtual_radio("legacy") as radio, Subscriber("till-1") as subscriber:
        [adapter] = radio.adapters
        with Agent("till-1", adapter.name) as agent:
            wait_for(lambda: len(subscriber.hearing()) >= 2, "sightings")
            found, wrong = doctor(adapter.name)
            expect(not wrong, f"something is wrong: {found}")
            expect("is running" in found["agent"]["message"], f"{found['agent']}")
            expect("of iBeacons" in found["reports"]["message"], f"{found['reports']}")
            expect(not agent.says("another program|takeover|another client"), "the check disturbed the agent")
            count = len(subscriber.hearing())
            wait_for(lambda: len(subscriber.hearing()) >= count + 2, "sightings after it")
            expect(agent.end() == 0, "did not end cleanly")
        check_stream(subscriber)


SCENARIOS = [
    doctor_of_a_shared_adapter,
    doctor_of_an_adapter_of_its_own,
    doctor_beside_a_running_agent,
]

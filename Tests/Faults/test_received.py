"""Tests of ReceivedMessages: correct messages have no faults, and each kind of fault is detected."""

import json
import sys
import unittest

sys.dont_write_bytecode = True
from received import ReceivedMessages

SESSION = "0198c9a2-6f0e-7a51-9d0b-3f2b7c1e5a10"


def message(seq, start=None, end=None, **members):
    start = seq * 100 if start is None else start
    value = {
        "v": 1, "site": "s", "gateway": "g", "session": SESSION, "seq": seq,
        "window": {"start": start, "end": start + 100 if end is None else end}, "clock": "synced",
        "radio": {"reports": 3, "beacons": 2},
        "sightings": [{"uuid": "u", "major": 1, "minor": 1, "count": 2, "lastSeen": 90}], **members}
    return json.dumps(value).encode()


def received(*messages, **options):
    result = ReceivedMessages(**options)
    for one in messages:
        result.add(one)
    return result


LOST = {"batches": 2, "fromSeq": 1, "toSeq": 2, "reason": "outbox-full"}


class ReceivedMessagesTests(unittest.TestCase):
    def sound(self, result, **options):
        self.assertEqual(result.faults(**options), [])

    def faulty(self, result, words, **options):
        faults = result.faults(**options)
        self.assertTrue(any(words in fault for fault in faults), faults)

    def test_complete_messages_have_no_faults(self):
        result = received(message(1), message(0), message(1), message(2))
        self.sound(result)
        self.assertEqual(result.counts(), {("u", 1, 1): 6})
        self.assertEqual(result.figures()["duplicates"], 1)

    def test_merged_and_lost_numbers_are_accounted_for(self):
        merged = message(3, 100, 400, seqs=[1, 3])
        self.sound(received(message(0), merged, message(4)))
        self.sound(received(message(0), message(3, lost=LOST)))
        self.assertEqual(received(message(0), merged).figures()["merged"], 2)

    def test_a_missing_number_is_detected(self):
        self.faulty(received(message(0), message(2)), "1 is undeclared")
        self.faulty(received(message(1)), "0 is undeclared")
        self.faulty(received(message(0), message(4, lost=LOST)), "3 is undeclared")

    def test_a_kill_loses_only_recent_batches(self):
        result = received(message(0), message(2))
        self.sound(result, killed={SESSION: 50})
        self.faulty(result, "before the kill", killed={SESSION: 150})

    def test_a_declared_loss_must_be_missing(self):
        self.faulty(received(message(0), message(1), message(3, lost=LOST)), "declares 2")
        wide = {**LOST, "batches": 3}
        self.faulty(received(message(0), message(3, lost=wide)), "has lost 3 batches in 1…2")

    def test_a_number_is_in_one_message(self):
        merged = message(2, 100, 300, seqs=[1, 2])
        self.faulty(received(message(0), message(1), merged), "1 is in")

    def test_different_repetitions_are_detected(self):
        self.faulty(received(message(0), message(0, end=101)), "two messages are")

    def test_windows_follow_each_other(self):
        self.faulty(received(message(0), message(1, start=99)), "overlaps")
        self.faulty(received(message(0), message(1, start=101)), "a gap after")
        self.faulty(received(message(0, end=-1)), "not the width")
        self.faulty(received(message(0, end=700_000)), "not the width")
        self.sound(received(message(0), message(1, start=-5000), steps=True))

    def test_parts_are_one_window(self):
        def part(index, **members):
            return message(index, 0, 100, part={"index": index, "of": 2}, **members)

        second = part(1, radio=None)
        both = part(0, radio={"reports": 5, "beacons": 4})
        self.sound(received(both, second))
        self.faulty(received(part(0), second), "4 in its sightings")
        late = message(1, 100, 200, part={"index": 1, "of": 2})
        self.faulty(received(both, late), "another window")

    def test_wrong_counters_are_detected(self):
        self.faulty(received(message(0, radio={"reports": 3, "beacons": 3})), "2 in its sightings")


unittest.main()

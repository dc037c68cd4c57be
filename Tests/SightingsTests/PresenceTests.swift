import Beacons
import Primitives
import Sightings
import TestVectors
import Testing

@Suite struct PresenceTests {
    /// A tracker that is away after 30 s, and windows of 10 s.
    private final class WindowSequence {
        var presence = Presence(
            of: [Advertisements.beacon(1).identity], awayAfter: .seconds(30))
        var seq: UInt64 = 0
        var seconds: Int64 = 0
        var wanted = true
        var hasChanged = false

        var state: Presence.State { presence.states[0] }

        /// Adds a window, or a part of one.
        func window(
            heard: Bool = false, state: RadioState = .hearing, untracked: Int = 0,
            lasting length: Int64 = 10, part: Batch.Part? = nil
        ) {
            let start = Instant(microseconds: seconds * 1_000_000)
            let end = start.advanced(byMicroseconds: length * 1_000_000)
            var radio = RadioCounts()
            radio.untracked = untracked
            let sightings =
                heard
                ? [Sighting(of: Advertisements.beacon(1), rssi: RSSI(dBm: -60), at: start)] : []
            let batch = Batch(
                seq: seq, interval: Interval(start: start, end: end), state: state,
                radio: (part?.index ?? 0) == 0 ? radio : nil, part: part,
                sightings: sightings[...])
            seq += 1
            if part.map({ $0.index + 1 == $0.of }) ?? true { seconds += length }
            let wanted = wanted
            hasChanged = presence.on(batch) { _ in wanted }
        }

        /// Skips batches, and their time.
        func skip(_ batches: UInt64, seconds: Int64) {
            seq += batches
            self.seconds += seconds
        }
    }

    @Test("a tracker starts unknown, is home when heard, and away after the limit")
    func plain() {
        let sequence = WindowSequence()
        #expect(sequence.state == .unknown)
        sequence.window()
        #expect(!sequence.hasChanged)
        sequence.window(heard: true)
        #expect(sequence.hasChanged)
        #expect(sequence.state == .home)
        sequence.window()
        #expect(!sequence.hasChanged)
        sequence.window(heard: true)
        #expect(!sequence.hasChanged)
        sequence.window()
        #expect(!sequence.hasChanged)
        #expect(sequence.state == .home)
        // The last report was at the begin of its window, 30 s ago.
        sequence.window()
        #expect(sequence.hasChanged)
        #expect(sequence.state == .away)
        sequence.window(heard: true)
        #expect(sequence.hasChanged)
        #expect(sequence.state == .home)
    }

    @Test("a tracker that was never heard is away after the limit")
    func never() {
        let sequence = WindowSequence()
        sequence.window()
        sequence.window()
        #expect(sequence.state == .unknown)
        sequence.window()
        #expect(sequence.hasChanged)
        #expect(sequence.state == .away)
    }

    @Test("a deaf radio makes a tracker unknown, not away")
    func deaf() {
        let sequence = WindowSequence()
        sequence.window(heard: true)
        sequence.window(state: .deaf)
        #expect(sequence.state == .home)
        sequence.window(state: .deaf)
        #expect(sequence.state == .unknown)
        sequence.window(state: .deaf)
        sequence.window(state: .deaf)
        #expect(sequence.state == .unknown)
        // Windows before the long deafness do not count.
        sequence.window()
        sequence.window()
        #expect(sequence.state == .unknown)
        sequence.window()
        #expect(sequence.state == .away)
    }

    @Test("an absent tracker stays away in short deafness, and becomes unknown in long deafness")
    func awayAndDeaf() {
        let sequence = WindowSequence()
        for _ in 0..<3 { sequence.window() }
        sequence.window(state: .deaf)
        sequence.window(state: .deaf)
        #expect(sequence.state == .away)
        sequence.window(state: .deaf)
        #expect(sequence.state == .unknown)
    }

    @Test("windows that are filtered, overfull or lost do not make a tracker away")
    func noEvidence() {
        let crowded = WindowSequence()
        for _ in 0..<9 { crowded.window(untracked: 1) }
        #expect(crowded.state == .unknown)
        let filtered = WindowSequence()
        filtered.wanted = false
        for _ in 0..<9 { filtered.window() }
        #expect(filtered.state == .unknown)
        let missed = WindowSequence()
        missed.window()
        missed.skip(7, seconds: 70)
        missed.window()
        #expect(missed.state == .unknown)
    }

    @Test("the parts of a window count together, and a missing part proves no absence")
    func parts() {
        let sequence = WindowSequence()
        sequence.window()
        sequence.window()
        sequence.window(part: .init(index: 0, of: 2))
        #expect(!sequence.hasChanged)
        sequence.window(heard: true, part: .init(index: 1, of: 2))
        #expect(sequence.hasChanged)
        #expect(sequence.state == .home)
        let torn = WindowSequence()
        torn.window()
        torn.window()
        torn.window(part: .init(index: 0, of: 3))
        torn.skip(1, seconds: 0)
        torn.window(part: .init(index: 2, of: 3))
        #expect(torn.state == .unknown)
    }

    @Test("the limit counts from the last report within a long window")
    func longWindow() {
        let sequence = WindowSequence()
        sequence.window(heard: true, lasting: 600)
        #expect(sequence.state == .away)
    }
}

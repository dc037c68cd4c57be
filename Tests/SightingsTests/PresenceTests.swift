import Beacons
import Primitives
import Sightings
import TestVectors
import Testing

@Suite struct PresenceTests {
    /// Windows of ten seconds, and a beacon that is away after thirty.
    private final class Walk {
        var presence = Presence(
            of: [Advertisements.beacon(1).identity], awayAfter: 30_000_000)
        var seq: UInt64 = 0
        var seconds: Int64 = 0
        var wanted = true
        var hasChanged = false

        var state: Presence.State { presence.states[0] }

        /// A window has passed, or a part of one.
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

        /// Messages that did not come, and the time that they were of.
        func loses(_ batches: UInt64, seconds: Int64) {
            seq += batches
            self.seconds += seconds
        }
    }

    @Test("a tracker starts unknown, is home when heard, and away after the limit")
    func plain() {
        let walk = Walk()
        #expect(walk.state == .unknown)
        walk.window()
        #expect(!walk.hasChanged)
        walk.window(heard: true)
        #expect(walk.hasChanged)
        #expect(walk.state == .home)
        walk.window()
        #expect(!walk.hasChanged)
        walk.window(heard: true)
        #expect(!walk.hasChanged)
        walk.window()
        #expect(!walk.hasChanged)
        #expect(walk.state == .home)
        // It was last heard at the beginning of its window: 30 s ago.
        walk.window()
        #expect(walk.hasChanged)
        #expect(walk.state == .away)
        walk.window(heard: true)
        #expect(walk.hasChanged)
        #expect(walk.state == .home)
    }

    @Test("a tracker that was never heard is away after the limit")
    func never() {
        let walk = Walk()
        walk.window()
        walk.window()
        #expect(walk.state == .unknown)
        walk.window()
        #expect(walk.hasChanged)
        #expect(walk.state == .away)
    }

    @Test("a deaf radio makes a tracker unknown, not away")
    func deaf() {
        let walk = Walk()
        walk.window(heard: true)
        walk.window(state: .deaf)
        #expect(walk.state == .home)
        walk.window(state: .deaf)
        #expect(walk.state == .unknown)
        walk.window(state: .deaf)
        walk.window(state: .deaf)
        #expect(walk.state == .unknown)
        // Windows before the long deafness do not count.
        walk.window()
        walk.window()
        #expect(walk.state == .unknown)
        walk.window()
        #expect(walk.state == .away)
    }

    @Test("an absent tracker stays away in short deafness, and becomes unknown in long deafness")
    func awayAndDeaf() {
        let walk = Walk()
        for _ in 0..<3 { walk.window() }
        walk.window(state: .deaf)
        walk.window(state: .deaf)
        #expect(walk.state == .away)
        walk.window(state: .deaf)
        #expect(walk.state == .unknown)
    }

    @Test("windows that are filtered, overfull or lost do not make a tracker away")
    func noEvidence() {
        let crowded = Walk()
        for _ in 0..<9 { crowded.window(untracked: 1) }
        #expect(crowded.state == .unknown)
        let filtered = Walk()
        filtered.wanted = false
        for _ in 0..<9 { filtered.window() }
        #expect(filtered.state == .unknown)
        let missed = Walk()
        missed.window()
        missed.loses(7, seconds: 70)
        missed.window()
        #expect(missed.state == .unknown)
    }

    @Test("the parts of a window count together, and a missing part proves no absence")
    func parts() {
        let walk = Walk()
        walk.window()
        walk.window()
        walk.window(part: .init(index: 0, of: 2))
        #expect(!walk.hasChanged)
        walk.window(heard: true, part: .init(index: 1, of: 2))
        #expect(walk.hasChanged)
        #expect(walk.state == .home)
        let torn = Walk()
        torn.window()
        torn.window()
        torn.window(part: .init(index: 0, of: 3))
        torn.loses(1, seconds: 0)
        torn.window(part: .init(index: 2, of: 3))
        #expect(torn.state == .unknown)
    }

    @Test("the limit counts from the last report within a long window")
    func longWindow() {
        let walk = Walk()
        walk.window(heard: true, lasting: 600)
        #expect(walk.state == .away)
    }
}

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

    @Test("At first nobody knows; who is heard is home; who is missed for long enough is away")
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

    @Test("Who was never heard is away once there was time to hear it")
    func never() {
        let walk = Walk()
        walk.window()
        walk.window()
        #expect(walk.state == .unknown)
        walk.window()
        #expect(walk.hasChanged)
        #expect(walk.state == .away)
    }

    @Test("A radio that turns deaf makes nobody go away: they become unknown")
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
        // What it heard before it was deaf for so long does not count.
        walk.window()
        walk.window()
        #expect(walk.state == .unknown)
        walk.window()
        #expect(walk.state == .away)
    }

    @Test("Who is away stays so for a while of deafness, and is unknown after that")
    func awayAndDeaf() {
        let walk = Walk()
        for _ in 0..<3 { walk.window() }
        walk.window(state: .deaf)
        walk.window(state: .deaf)
        #expect(walk.state == .away)
        walk.window(state: .deaf)
        #expect(walk.state == .unknown)
    }

    @Test("A window that proves nothing is no proof that somebody is away")
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

    @Test("The parts of a window are judged together, and a missing part is none that was heard")
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

    @Test("A window longer than the patience knows when in it somebody was heard last")
    func longWindow() {
        let walk = Walk()
        walk.window(heard: true, lasting: 600)
        #expect(walk.state == .away)
    }
}

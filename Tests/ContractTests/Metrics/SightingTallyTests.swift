import Beacons
import Contract
import Primitives
import Prometheus
import Sightings
import TestVectors
import Testing

@Suite struct SightingTallyTests {
    /// A batch of a window, or of a part of one.
    static func batch(
        sightings count: UInt16, part: Batch.Part? = nil, state: RadioState = .hearing
    ) -> Batch {
        let start = Instant(microseconds: 0)
        let sightings = (0..<count).map {
            Sighting(of: Advertisements.beacon($0), rssi: RSSI(dBm: -60), at: start)
        }
        return Batch(
            seq: 0, interval: Interval(start: start, end: start), state: state, radio: nil,
            part: part, sightings: sightings[...])
    }

    @Test("identities count the latest window, the total counts all windows")
    func windows() {
        var tally = SightingTally()
        #expect(tally.identities == nil)
        tally.count(Self.batch(sightings: 3))
        tally.count(Self.batch(sightings: 2))
        #expect(tally.identities == 2)
        #expect(tally.total == 5)
        tally.count(Self.batch(sightings: 0))
        #expect(tally.identities == 0)
        #expect(tally.total == 5)
    }

    @Test("the parts of a window are counted together")
    func parts() {
        var tally = SightingTally()
        tally.count(Self.batch(sightings: 9))
        tally.count(Self.batch(sightings: 3, part: .init(index: 0, of: 2)))
        tally.count(Self.batch(sightings: 2, part: .init(index: 1, of: 2)))
        #expect(tally.identities == 5)
        #expect(tally.total == 14)
    }

    @Test("a deaf radio's empty window leaves the count unknown")
    func deaf() {
        var tally = SightingTally()
        tally.count(Self.batch(sightings: 3))
        tally.count(Self.batch(sightings: 0, state: .deaf))
        #expect(tally.identities == nil)
        tally.count(Self.batch(sightings: 1))
        #expect(tally.identities == 1)
    }
}

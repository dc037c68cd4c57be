import Primitives
import Testing

@testable import Ranging

struct ZoneTests {
    @Test func `a zone is stated from 80 % on, until another has 80 %`() {
        var decision = ZoneDecision()
        let steps: [([Double], Int?)] = [
            ([0.7, 0.3], nil), ([0.8, 0.2], 0), ([0.1, 0.79], 0), ([0.1, 0.85], 1),
            ([0.5, 0.5], 1),
        ]
        for (probabilities, zone) in steps {
            decision.take(probabilities)
            #expect(decision.zone == zone)
        }
    }

    @Test func `zones without a plan are told apart by what was heard in them`() {
        var room = SimulatedRoom(seed: 20)
        let centres = [2.0, 6, 10].map { RoomPlace(PlanPoint($0, 4), z: 1) }
        let standing = centres.map { centre in
            (0..<60).map { _ in room.levels(at: centre, noise: 2) }
        }
        let zones = ZoneFingerprints(standing)
        for (zone, centre) in centres.enumerated() {
            let seconds = (0..<10).map { _ in room.levels(at: centre, noise: 2) }
            let probabilities = zones.probabilities(seconds)
            #expect(probabilities[zone] > 0.8)
            #expect(abs(probabilities.reduce(0, +) - 1) < 1e-9)
        }
        #expect(zones.probabilities([]).allSatisfy { abs($0 - 1.0 / 3) < 1e-9 })
    }

    @Test func `a distance has a class only where it is probable enough`() {
        #expect(Proximity(immediate: 0.6, near: 0.9) == .immediate)
        #expect(Proximity(immediate: 0.1, near: 0.75) == .near)
        #expect(Proximity(immediate: 0, near: 0.3) == .far)
        #expect(Proximity(immediate: 0.3, near: 0.65) == .unknown)
    }
}

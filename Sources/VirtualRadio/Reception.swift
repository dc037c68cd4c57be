import Beacons
import Primitives

/// The packets that a station has heard, and those that the other stations sent while it listened.
struct Reception: Sendable {
    private var heard: [BeaconIdentity?: Int] = [:]
    /// What the other stations have sent while it listened.
    private var sentByOthers: [BeaconIdentity: Int] = [:]
    /// The arrivals of its hosts on the wall clock, and the reports that were delivered before.
    private var arrivals: [(at: Instant, delivered: [BeaconIdentity?: Int])] = []
    /// The stretches of the world's time that were listened to.
    private var stretches: [Range<Instant>] = []

    /// A host has come.
    mutating func hostHasCome(at moment: Instant, delivered: [BeaconIdentity?: Int]) {
        arrivals.append((moment, delivered))
    }

    /// - Parameter stretch: of the world's time.
    mutating func add(
        _ advertisements: [Advertisement], sentByOthers: [BeaconIdentity: Int],
        in stretch: Range<Instant>
    ) {
        for advertisement in advertisements { heard[advertisement.identity, default: 0] += 1 }
        self.sentByOthers.merge(sentByOthers, uniquingKeysWith: +)
        if let last = stretches.last, last.upperBound == stretch.lowerBound {
            stretches[stretches.count - 1] = last.lowerBound..<stretch.upperBound
        } else {
            stretches.append(stretch)
        }
    }

    /// The packets sent around the station, the packets it heard, and the reports its hosts received.
    func tally(
        of gateway: String, in world: inout World, _ controller: SimulatedController
    ) -> Tally {
        var sent = sentByOthers
        for stretch in stretches {
            let counts = world.sent(from: stretch.lowerBound, to: stretch.upperBound)
            sent.merge(counts, uniquingKeysWith: +)
        }
        return Tally(
            gateway: gateway, sent: sent, heard: heard, delivered: controller.delivered,
            hosts: hosts(controller.delivered), unknownCommands: controller.unknownCommands)
    }

    /// The reports of each host, until the arrival of the next.
    private func hosts(_ delivered: [BeaconIdentity?: Int]) -> [Tally.Host] {
        let ends = arrivals.dropFirst().map(\.delivered) + [delivered]
        return zip(arrivals, ends).map { arrival, end in
            let counts = end.merging(arrival.delivered, uniquingKeysWith: -)
            return Tally.Host(begun: arrival.at, delivered: counts.filter { $0.value > 0 })
        }
    }
}

import Facts
import Primitives
import Queueing
import Results

/// The retained result of a zone.
package typealias ZoneResult = PresentResult<ZoneNow>

/// How many beacons are in a zone at present, as sums: nothing of a single person.
package struct ZoneNow: Equatable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        case ok
        /// A gateway that is not the zone's nearest one does not listen.
        case degraded
        /// Fewer than two gateways listen, or the zone's nearest one does not.
        case unknown
    }

    /// A number with the interval that has it with a probability of 90 %.
    package struct Count: Equatable, Sendable {
        package let expected: Double
        package let low: Int
        package let high: Int

        /// - Parameter probabilities: of each beacon to be in the zone. The beacons are independent.
        init(_ probabilities: [Double]) {
            // The sum of the cells' probabilities may be a little more than 1.
            let probabilities = probabilities.filter(\.isFinite).map { min(max(0, $0), 1) }
            let mean = probabilities.reduce(0, +)
            let deviation = probabilities.reduce(0) { $0 + $1 * (1 - $1) }.squareRoot()
            expected = mean
            low = max(0, Int((mean - 1.645 * deviation).rounded()))
            high = min(probabilities.count, Int((mean + 1.645 * deviation).rounded()))
        }
    }

    package let zone: String
    package let at: UnixSecond?
    package let state: State
    package let absent: [AbsentGateway]
    package let byKind: [TagKind: Count]
}

extension ZoneNow: PresentItem {
    package static let kind = ResultKind(
        "zone", file: "zone", topic: .zone, title: "Zone at present",
        help:
            "How many beacons are in a zone of the plan or of labels, by kind, with intervals. The staff is in no number. Sums only: no message says where a person is. Retained; published when it changes, at most every 2 s, and at least every 30 s. Subscribers must ignore unknown members.",
        members)

    package static let members: [ResultMember<ZoneResult>] = [
        .constant("v", 1), .constant("kind", "zone"), .name("site") { $0.site },
        .name("zone") { $0.now.zone },
        .time(
            "at",
            "The end of the last second that was considered, by the gateways' clocks; null before the first message.",
            atLeast: 0
        ) { $0.now.at?.start }.nullable.stamp,
        .integer("rev", "Rises with each publication of other contents.") { $0.rev }.stamp,
        .word(
            "state",
            "In the state unknown, the first ten seconds are not over, fewer than two gateways listen, the one that is nearest to the zone does not, or no label tells the zone from another one. In the state degraded, another one does not."
        ) { $0.now.state }
        .metric("unknown", "Whether too few gateways listen to count.", word: "unknown")
        .entity("problem", "Problem", normal: "ok")
        .column("State", "STATE"),
        .list("reasons", "The gateways that do not listen.", of: AbsentGateway.members) {
            $0.now.absent
        },
        count("visitors", .visitor, "Visitors", occupancy: "occupancy"),
        count("things", .fixed, "Things"),
        .flag("durable", "false: the server cannot store results.") {
            $0.isDurable
        },
    ]

    private static func count(
        _ name: String, _ kind: TagKind, _ title: String, occupancy: String? = nil
    ) -> ResultMember<ZoneResult> {
        let low: ResultMember<Count> = .integer(
            "low", "The number is between low and high with a probability of 90 %."
        ) { $0.low }
        return .object(
            name, "null in the state unknown.",
            of: [
                .number(
                    "expected",
                    "The sum of the probabilities: the sums of all zones are no more than the beacons.",
                    places: 1
                ) { $0.expected }
                .entity(name, title)
                .metric(name, "\(title) in the zone; absent while it is unknown.")
                .column(title, title.uppercased(), low: "low", high: "high"),
                occupancy.map {
                    low.entity($0, "Occupancy", .occupancy(vacant: [("high", 0)]))
                } ?? low,
                .integer("high") { $0.high },
            ] as [ResultMember<Count>]
        ) { $0.now.state == .unknown ? nil : $0.now.byKind[kind] ?? Count([]) }.nullable
    }
}

extension RangingEstimator {
    /// Each zone of the plan.
    package func zones(_ absent: [AbsentGateway]) -> [ZoneNow] {
        let present = present
        let deaf = Set(absent.map(\.gateway))
        let isUnknown = !hasLookedAtAll || plan.gateways.count - deaf.count < 2
        let states = context.nearestOfZone.map { nearest -> ZoneNow.State in
            let name = nearest.map { plan.gateways[$0].name }
            guard let name, !isUnknown, !deaf.contains(name) else { return .unknown }
            return deaf.isEmpty ? .ok : .degraded
        }
        var probabilities = [[TagKind: [Double]]](repeating: [:], count: plan.zones.count)
        for (tag, track) in present.tracks {
            guard let kind = kind(of: tag), !clones.contains(tag),
                let zones = track.stated?.estimate.zones
            else { continue }
            for (zone, probability) in zones.enumerated() where zone < plan.zones.count {
                probabilities[zone][kind, default: []].append(probability)
            }
        }
        return plan.zones.indices.map { zone in
            ZoneNow(
                zone: plan.zones[zone].name, at: present.seconds.next,
                state: states[zone], absent: absent,
                byKind: probabilities[zone].mapValues { ZoneNow.Count($0.sorted()) })
        }
    }
}

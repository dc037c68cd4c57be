import Facts
import JSON
import Queueing
import Results

/// The retained result of a region.
package typealias RegionResult = PresentResult<RegionNow>

extension RegionNow: PresentItem {
    package static let kind = ResultKind(
        "region", file: "region", topic: .region, title: "Region at present",
        help:
            "The beacons near the gateways of a region, by present knowledge. Retained; published when it changes, at most once a second, and at least every 30 s. Subscribers must ignore unknown members. In the state unknown, inside and byKind are null.",
        members)

    package static let members: [ResultMember<RegionResult>] = [
        .constant("v", 1), .constant("kind", "region"), .name("site") { $0.site },
        .name("region") { $0.now.region },
        .time(
            "at",
            "The end of the last second that the numbers describe, by the gateways' clocks; null before the first message.",
            atLeast: 0
        ) { $0.now.at?.start }.nullable.stamp,
        .integer("rev", "Rises with each publication of other contents.") { $0.rev }.stamp,
        .word(
            "state",
            "In the state degraded, a gateway of the region does not listen. In the state unknown, none of them does."
        ) { $0.now.state }
        .metric(
            "unknown", "Whether the region is unknown: no gateway of it listens.", word: "unknown"
        )
        .metric(
            "degraded", "Whether a gateway of the region does not listen.", word: "degraded"
        ).entity("problem", "Problem", normal: "ok").column("State", "STATE"),
        .list(
            "reasons",
            "The gateways that do not listen: they have not listened for ten seconds, or not yet again for ten.",
            of: AbsentGateway.members
        ) { $0.now.reasons }.column("Not hearing", "NOT HEARING", place: 1),
        .integer("inside", "The beacons in the region.") {
            $0.now.state == .unknown ? nil : $0.now.inside
        }.nullable
            .metric("inside", "Beacons in the region; absent while it is unknown.")
            .entity("inside", "Beacons inside")
            .entity(
                "occupancy", "Occupancy", .occupancy(vacant: [("unknown", 0), ("state", "ok")])
            )
            .column("Beacons inside", "INSIDE"),
        .integer(
            "unknown",
            "The beacons that may be in the region: the gateways that could tell do not listen."
        ) { $0.now.unknown }
        .metric("uncertain", "Beacons that may be in the region.")
        .column("May be inside", "MAY BE INSIDE"),
        .object("byKind", "The beacons inside, by kind.", of: kinds) {
            $0.now.state == .unknown ? nil : $0.now.byKind
        }.nullable,
        .flag("durable", "false: the server cannot store events, and a restart loses them.") {
            $0.isDurable
        },
    ]

    /// Clones are no kind of a configured beacon.
    private static let kinds: [ResultMember<[TagKind: Int]>] =
        TagKind.allCases.filter { $0 != .clone }.map { kind in
            .integer(kind.rawValue) { $0[kind] ?? 0 }
                .metric(
                    "inside_\(kind.rawValue)",
                    "Beacons of the kind \(kind.rawValue) in the region; absent while it is unknown.",
                    place: 1)
        }
}

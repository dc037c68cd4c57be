import Queueing
import Results

/// The retained result of a registered beacon's place.
package struct PlaceResult: ResultDocument {
    package let site: String
    /// `UUID/MAJOR/MINOR`.
    package let beacon: String
    package let name: String?
    package let carrier: String
    package let now: PlaceNow
    /// Rises with each publication of other contents.
    package let rev: Int

    package init(
        site: String, beacon: String, name: String?, carrier: String, _ now: PlaceNow, rev: Int
    ) {
        (self.site, self.beacon, self.name, self.carrier) = (site, beacon, name, carrier)
        (self.now, self.rev) = (now, rev)
    }

    package static let kind = ResultKind(
        "place", file: "place", topic: .place, title: "Place of a registered beacon",
        help:
            "Where a beacon of the registry is, and how far from each gateway, with intervals. Retained; published when the place, the zone, the nearest gateway or a proximity is noticeably another one, at most every 2 s, and at least every 5 min. Beacons of visitors and the staff have no such message. Subscribers must ignore unknown members.",
        members)

    package static let members: [ResultMember<PlaceResult>] = [
        .constant("v", 1), .constant("kind", "place"), .name("site") { $0.site },
        .text("beacon", "UUID/MAJOR/MINOR.") { $0.beacon },
        .text("name", "The name in the registry, for people; null without one.") { $0.name }
            .nullable.column("Name", "NAME"),
        .word("carrier", "The kind in the registry.", of: ["fixed", "gateway", "asset"]) {
            $0.carrier
        }.column("Kind", "KIND"),
        .time(
            "at",
            "The end of the last second that was considered, by the gateways' clocks; null before the first message.",
            atLeast: 0
        ) { $0.now.at?.start }.nullable.stamp,
        .integer("rev", "Rises with each publication of other contents.") { $0.rev }.stamp,
        .word(
            "state",
            "known: several gateways hear it. zoned: the site has no plan, and its zone follows from labels alone. distance: one gateway hears it, so that its place is unknown; the distance is plus or minus half a room. silent: all gateways listen, and none has heard it for 30 s. unknown: none hears it, and a gateway does not listen; or the site has no plan, and labels of fewer than two zones. clone: several devices send its identity, by the state of the beacon. retired: by the registry."
        ) { $0.now.state }
        .metric(
            "unknown", "Whether the place is unknown since a gateway does not listen.",
            word: "unknown"
        ).column("State", "STATE"),
        .list(
            "reasons",
            "The gateways that do not listen: they have not listened for ten seconds, or not yet again for ten.",
            of: AbsentGateway.members
        ) { $0.now.absent },
        .object(
            "place", "A circle that has the beacon with a probability of 90 %; null if unknown.",
            of: area
        ) { $0.now.area }.nullable,
        .text(
            "zone",
            "The zone: one with a probability of 80 %, until another one has it. null before, without a place, and without labels of a site that has no plan."
        ) { $0.now.zone }.nullable.column("Zone", "ZONE"),
        .list(
            "zones", "The zones with a probability of 5 % or more, the most probable first.",
            of: zone
        ) { $0.now.zones },
        .object(
            "nearest", "The gateway that is most probably the nearest one; null without a place.",
            of: nearest
        ) { $0.now.nearest }.nullable,
        .list(
            "gateways",
            "Those that hear the beacon, the nearest first, and those that do not listen.",
            of: gateway
        ) { $0.now.gateways },
    ]

    private static let area: [ResultMember<PlaceEstimate.Area>] = [
        .number("x", "The mean, in metres on the plan.", places: 1, atLeast: nil) { $0.centre.x },
        .number("y", places: 1, atLeast: nil) { $0.centre.y },
        .number("radius", "In metres. The beacon is rarely at the mean itself.", places: 1) {
            $0.radius
        }
        .column("Within (m)", "WITHIN"),
    ]

    private static let zone: [ResultMember<PlaceNow.Zone>] = [
        .text("zone") { $0.name }, .number("probability", places: 2) { $0.probability },
    ]

    private static let nearest: [ResultMember<PlaceNow.Nearest>] = [
        .name("gateway") { $0.gateway },
        .number("probability", places: 2) { $0.probability },
    ]

    private static let gateway: [ResultMember<PlaceNow.Gateway>] = [
        .name("gateway") { $0.name },
        .number(
            "level", "dBm, a mean of some seconds; null of a gateway that does not listen.",
            places: 0, atLeast: -127
        ) { $0.level }.nullable,
        .number(
            "m", "The distance in space, in metres: its median; null without a plan.", places: 1
        ) {
            $0.distance?.median
        }.nullable,
        .number("low", "Its quantile of 5 %.", places: 1) { $0.distance?.low }.nullable,
        .number("high", "Its quantile of 95 %.", places: 1) { $0.distance?.high }.nullable,
        .word(
            "proximity",
            "immediate: below 0.5 m. near: below 3 m. A class has a probability of 60 % at least; else it is unknown."
        ) { $0.distance?.proximity ?? Proximity.unknown },
    ]
}

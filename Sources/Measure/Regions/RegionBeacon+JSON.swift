import Beacons
import JSON
import Results

extension RegionBeacon {
    /// What is known of the beacon, for `sightline regions --why`.
    package func json(site: String, beacon: BeaconIdentity) -> JSON {
        let head: [JSON.Member] = [
            .init("v", 1), .init("kind", "region-beacon"), .init("site", .string(site)),
            .init("region", .string(region)), .init("beacon", .string("\(beacon)")),
        ]
        return .object(head + Self.members.json(of: self).members)
    }

    private static let members: [ResultMember<RegionBeacon>] = [
        .word("state", of: ["inside", "unknown"]) { $0.isUnknown ? "unknown" : "inside" },
        .time("since") { $0.since },
        .list("gateways", "Those that have it.", of: Gateway.members) { $0.gateways },
    ]
}

extension RegionBeacon.Gateway {
    fileprivate static let members: [ResultMember<RegionBeacon.Gateway>] = [
        .name("gateway") { $0.name },
        .milliseconds("silenceMs") { $0.silence },
        .milliseconds("deadlineMs") { $0.deadline.silence },
        .number("ratePerSecond", places: 3) { $0.deadline.rate },
        .number("falsePerDay", places: 3) { $0.deadline.falsePerDay },
    ]
}

extension JSON {
    fileprivate var members: [JSON.Member] {
        if case .object(let members) = self { members } else { [] }
    }
}

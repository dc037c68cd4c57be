import Facts
import Primitives
import Queueing

extension RegionFold {
    /// Each region at the end of the last folded second.
    func now(_ subjects: RegionSubjects) -> [RegionNow] {
        regions.indices.map { region in
            let unknown = regions[region].gateways.filter { conditions[$0].isUnknown }
            let state: RegionNow.State =
                unknown.isEmpty
                ? .ok : unknown.count < regions[region].gateways.count ? .degraded : .unknown
            let kinds = rosters[region].inside.keys.compactMap { subjects[$0]?.kind }
            return RegionNow(
                region: regions[region].name, at: seconds.next,
                state: seconds.next == nil ? .unknown : state,
                reasons: unknown.compactMap { conditions[$0].absence(of: gateways[$0]) },
                inside: rosters[region].inside.count, unknown: rosters[region].unknown.count,
                byKind: Dictionary(kinds.map { ($0, 1) }, uniquingKeysWith: +))
        }
    }

    /// What is known of a beacon in each region that has it.
    func presences(of tag: Tag) -> [RegionBeacon] {
        regions.indices.compactMap { region in
            let roster = rosters[region]
            let isUnknown = roster.unknown[tag] != nil
            guard let second = seconds.next?.advanced(by: -1),
                isUnknown || roster.inside[tag] != nil
            else { return nil }
            let row = detectors[regions[region].rule]
            return RegionBeacon(
                region: regions[region].name, tag: tag, isUnknown: isUnknown,
                since: roster.inside[tag] ?? roster.unknown[tag]?.start ?? second.start,
                gateways: regions[region].gateways.compactMap { gateway in
                    row[gateway]?.why(tag, at: second).map { why in
                        RegionBeacon.Gateway(
                            name: gateways[gateway], silence: why.silence, deadline: why.deadline)
                    }
                })
        }
    }

    /// The tags in any region.
    var tags: Set<Tag> {
        rosters.reduce(into: []) {
            $0.formUnion($1.inside.keys)
            $0.formUnion($1.unknown.keys)
        }
    }
}

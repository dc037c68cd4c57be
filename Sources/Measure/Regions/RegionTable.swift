import Beacons
import Facts
import Queueing

/// Which beacons belong to which regions.
///
/// It has no identity of a person: the caller derives the tag from it.
package struct RegionTable: Sendable {
    /// A beacon that belongs to a region at least.
    package struct Subject: Equatable, Sendable {
        /// In ascending order.
        package let regions: [Int]
        package let kind: TagKind
        /// `nil` of beacons that visitors and the staff carry, and of those without a kind: their tags are pseudonyms.
        package let identity: BeaconIdentity?
    }

    package let layouts: [RegionLayout]
    package let gateways: [String]
    private let kinds: BeaconKinds
    private var memberships: [BeaconIdentity: Subject?] = [:]

    /// A flood of identities empties the memory.
    private static let most = 50_000

    package init(_ layout: SiteLayout) {
        layouts = layout.regions
        gateways = layout.regionGateways
        kinds = layout.beacons
    }

    /// The subject of a tag that an earlier run has stored: of things, the configured ranges and the registry give the
    /// identity again.
    package mutating func subject(of tag: Tag, _ kind: TagKind, in region: Int) -> Subject {
        let ranges = kind == .fixed ? kinds.fixed : kind == .gateway ? kinds.gateway : []
        let configured = ranges.compactMap { range in
            range.organisation.map { ($0, range.type ?? .iBeacon) }
        }
        let registered = kinds.registered.organisations.flatMap { format, organisations in
            organisations.map { ($0, format) }
        }
        for (organisation, format) in configured + registered {
            guard let identity = tag.identity(of: organisation, format),
                let subject = subject(identity), subject.kind == kind, subject.identity != nil
            else { continue }
            return subject
        }
        return Subject(regions: [region], kind: kind, identity: nil)
    }

    /// The regions of a beacon; `nil` if it belongs to none.
    package mutating func subject(_ identity: BeaconIdentity) -> Subject? {
        if let known = memberships[identity] { return known }
        let kind = kinds.kind(of: identity)
        let regions = layouts.indices.filter { layouts[$0].contains(identity, of: kind) }
        let isThing = kind == .fixed || kind == .gateway
        let subject = Subject(regions: regions, kind: kind, identity: isThing ? identity : nil)
        let result = regions.isEmpty ? nil : subject
        if memberships.count >= Self.most { memberships.removeAll(keepingCapacity: true) }
        memberships[identity] = .some(result)
        return result
    }
}

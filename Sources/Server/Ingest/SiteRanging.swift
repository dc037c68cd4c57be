import Beacons
import Contract
import Facts
import Inventory
import Posix
import Primitives
import Queueing
import Ranging
import ResultStore
import Results
import Sightings

/// Where the beacons of a site are, by its plan.
///
/// Only beacons of the registry that no person carries have a place. After a restart, places begin anew, and labels stay.
struct SiteRanging: SiteMeasurement {
    private let layout: SiteLayout
    private let registry: Registry?
    private(set) var estimator: RangingEstimator
    private var date: String
    /// The beacons on the date, and their tags in all formats.
    private var table: InventoryTable?
    private var tags: [BeaconIdentity: Tag] = [:]
    private var second: UnixSecond
    private let gateways: Set<String>

    /// In one call, each fold folds so much at most: the loop must not wait.
    private static let part = Duration.seconds(10)
    /// The states of all beacons come in so many calls.
    private static let turns = 10
    /// The most by which a gateway's clock is ahead.
    private static let clockDifference = Duration.seconds(60)

    /// `nil` for a site without a plan.
    init?(_ layout: SiteLayout, _ registries: Registries, wall: UnixTime) {
        guard let plan = registries.plan(of: layout.site) else { return nil }
        self.layout = layout
        registry = registries[layout.site]
        estimator = RangingEstimator(plan)
        gateways = Set(plan.gateways.map(\.name))
        second = UnixSecond(containing: wall)
        date = LocalDay(containing: wall).name
        useRegistry()
    }

    private mutating func useRegistry() {
        table = registry.map { InventoryTable($0, on: date) }
        tags = [:]
        for entry in table?.entries ?? [] where !entry.isRetired {
            for format in BeaconIdentity.Format.allCases {
                tags[entry.identity.translated(to: format)] = entry.key
            }
        }
        let present = Set(tags.values)
        estimator.forget { tag, subject in !subject.isPerson && !present.contains(tag) }
    }

    func isLike(_ former: SiteRanging, at wall: UnixTime) -> Bool {
        // If a window is further in the future than gateways' clocks differ, the clock has stepped back since.
        let isAhead = former.estimator.newest.map { $0 - wall > Self.clockDifference } ?? false
        return estimator.plan == former.estimator.plan && registry == former.registry
            && layout.beacons == former.layout.beacons && !isAhead
    }

    mutating func take(
        _ message: SightingsMessage, in parts: [Range<UnixTime>], from gateway: String,
        notBefore bound: UnixTime, pseudonym: (BeaconIdentity, Range<UnixTime>) -> Tag?
    ) -> FactOutcome? {
        guard gateways.contains(gateway) else { return .foreign }
        // What is later changes no place of the present, and is no fault.
        guard message.windowEnd > second.start - RangingEstimator.lateness else { return .foreign }
        var heard: [Tag: RangingSubject] = [:]
        let facts = parts.compactMap { part in
            WindowFact(message, acceptsUnsynced: layout.acceptsUnsyncedClocks, in: part) {
                tags[$0]
            }
        }
        for sighting in message.sightings {
            guard let tag = tags[sighting.identity], heard[tag] == nil,
                let entry = table?[entry: tag]
            else { continue }
            heard[tag] = RangingSubject(
                isPerson: false, isMoving: entry.beacon.kind == .asset,
                claimed: Double(
                    entry.beacon.measuredPower ?? sighting.measuredPower))
        }
        return WindowFact(joining: facts).map { estimator.take($0, from: gateway, heard: heard) }
    }

    var isBehind: Bool { estimator.isBehind }

    mutating func advance(through second: UnixSecond) -> Site.Results {
        self.second = second
        let today = LocalDay(containing: second.start).name
        if today != date {
            date = today
            useRegistry()
        }
        _ = estimator.advance(through: second, atMost: Self.part)
        return Site.Results()
    }

    /// The places of a part of the beacons; all of them come in ten calls.
    func states(
        absences: [String: QueueNow.Reason.Cause], isDurable: Bool
    ) -> [PresentState] {
        let absent = estimator.absent.map { $0.explained(by: absences) }
        let turn = UnixSecond(0).distance(to: second) % Self.turns
        let entries = table?.entries ?? []
        return stride(from: turn, to: entries.count, by: Self.turns).compactMap { index in
            let entry = entries[index]
            guard !entry.isRetired else { return nil }
            let now = estimator.now(entry.key, absent)
            return PresentState(entry.item) { [layout] in
                PlaceResult(
                    site: layout.site, beacon: entry.item, name: entry.beacon.name,
                    carrier: entry.beacon.kind.rawValue, now, rev: $0)
            }
        }
    }
}

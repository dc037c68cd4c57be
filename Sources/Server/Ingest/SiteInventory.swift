import Beacons
import Contract
import Facts
import Inventory
import JSON
import Posix
import Primitives
import Queueing
import ResultStore
import Results
import Sightings

/// The network of beacons of a site: its registry, and what its gateways hear of it.
///
/// Every gateway of the site takes part. Visitors never do: a sighting is a registered beacon's, or it is only counted.
struct SiteInventory {
    private let site: String
    private let registries: Registries
    private let kinds: BeaconKinds
    private var date: String
    private(set) var estimator: InventoryEstimator
    private var wall: UnixTime
    /// The state of each beacon is looked at once in so many seconds.
    private var turn = 0
    /// The end of the hours that an earlier run has stored.
    private var restoredThrough = UnixTime.min

    private static let turns = 10
    /// In one call, the fold takes so much at most: the loop must not wait.
    private static let part = Duration.seconds(10)
    /// Windows that are older than this come too late.
    private static let memory = Duration.seconds(3600)
    /// The most by which a gateway's clock is ahead.
    private static let clockDifference = Duration.seconds(60)

    /// Those of the registry.
    var uuids: Set<ProximityUUID> { registries[site]?.uuids ?? [] }

    /// `nil` for a site without a registry.
    init?(_ layout: SiteLayout, _ registries: Registries, wall: UnixTime) {
        guard let registry = registries[layout.site] else { return nil }
        site = layout.site
        self.registries = registries
        kinds = layout.beacons
        self.wall = wall
        date = LocalDay(containing: wall).name
        estimator = InventoryEstimator(InventoryTable(registry, on: date))
    }

    /// Goes on with what an earlier configuration has learnt. After a step of the clock, it begins anew.
    mutating func inherit(_ former: SiteInventory, wall: UnixTime) {
        if let newest = former.estimator.newest, newest - wall > Self.clockDifference { return }
        (estimator, restoredThrough) = (former.estimator, former.restoredThrough)
        useRegistry()
    }

    private mutating func useRegistry() {
        guard let registry = registries[site] else { return }
        estimator.use(InventoryTable(registry, on: date))
    }

    /// Takes a message of a gateway.
    mutating func take(
        _ message: SightingsMessage, from gateway: String, acceptsUnsynced: Bool,
        sharing readings: inout PackedReadings?
    ) -> FactOutcome {
        var extra = InventoryEstimator.Extra()
        let fact = WindowFact(message, acceptsUnsynced: acceptsUnsynced) {
            estimator.table.tag(of: $0)
        }
        guard let fact else { return .foreign }
        guard message.windowEnd > max(wall - Self.memory, restoredThrough) else { return .late }
        for sighting in message.sightings {
            guard let tag = estimator.table.tag(of: sighting.identity) else { continue }
            if sighting.isEcho { extra.echoes.append(tag) }
            if let millivolts = sighting.telemetry?.millivolts {
                extra.millivolts[tag] = Int(millivolts)
            }
        }
        let outcome = estimator.take(fact.sharing(&readings), extra, from: gateway)
        guard outcome == .new else { return outcome }
        for sighting in message.sightings where isUnregistered(sighting.identity) {
            guard let level = sighting.signal?.powerMean, !sighting.isEcho else { continue }
            estimator.take(
                unregistered: sighting.identity, reports: sighting.count, level: level,
                at: gateway, message.windowEnd)
        }
        return outcome
    }

    /// Whether a beacon has a UUID of the registry, no row, and is no person's. Of an Eddystone beacon, that is not known.
    private func isUnregistered(_ identity: BeaconIdentity) -> Bool {
        guard identity.format != .eddystoneUID, let registry = registries[site],
            registry.isOurs(identity)
        else { return false }
        let beacon = identity.translated(to: .iBeacon)
        return kinds.kind(of: beacon) == .other && kinds.kind(of: identity) == .other
    }

    /// An event of the store, with the identities of the registry.
    func published(_ document: JSON) -> JSON {
        registries[site].map { BeaconEventResult.published(document, $0) } ?? document
    }

    var isBehind: Bool { estimator.isBehind }

    mutating func advance(through second: UnixSecond, to results: inout Site.Results) {
        wall = second.start
        let today = LocalDay(containing: wall).name
        if today != date {
            date = today
            useRegistry()
        }
        let news = estimator.advance(wall: wall, atMost: Self.part)
        let names = news.events.isEmpty ? [:] : names
        results.beaconEvents += news.events.map { event in
            BeaconEventResult(
                site: site, event, name: names[event.item],
                sibling: event.kind == .unregistered
                    ? registries.sibling(of: site, with: event.item) : nil)
        }
        results.beaconHours += news.hours.map {
            StoreBatch.BeaconHour(site: site, start: $0.start, body: $0.stored)
        }
    }

    private var names: [String: String] {
        Dictionary(
            estimator.table.entries.compactMap { entry in
                entry.beacon.name.map { (entry.item, $0) }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The states of a part of the beacons; all of them come in ten calls.
    mutating func nextStates() -> [PresentState] {
        defer { turn = (turn + 1) % Self.turns }
        return stride(from: turn, to: estimator.count, by: Self.turns).compactMap { index in
            let now = estimator.now(index, wall: wall)
            return PresentState(now.entry.item) { [site] in
                BeaconResult(site: site, now, rev: $0)
            }
        }
    }

    /// Takes over what earlier runs have stored.
    mutating func restore(
        _ hours: [StoreBatch.BeaconHour], _ events: [StoreBatch.BeaconEvent]
    ) {
        guard estimator.isNew else { return }
        let items = Dictionary(
            estimator.table.entries.map { (BeaconEventResult.stored($0.item), $0.item) },
            uniquingKeysWith: { first, _ in first })
        var missing: [String: UnixTime] = [:]
        for event in events {
            let document = try? JSON(parsing: event.document, maxBytes: 1 << 16)
            guard case .string(let word)? = document?["event"], let item = items[event.beacon]
            else { continue }
            if word == InventoryEvent.Kind.missing.rawValue,
                case .integer(let at)? = document?["at"]
            {
                missing[item] = UnixTime(milliseconds: at)
            } else if word == InventoryEvent.Kind.found.rawValue {
                missing[item] = nil
            }
        }
        if let last = hours.map(\.start).max() { restoredThrough = last + .seconds(3600) }
        estimator.restore(
            hours.compactMap { try? InventoryHour(stored: $0.body, start: $0.start) },
            missing: missing.map { ($0.key, $0.value) })
    }
}

/// What comes for the network of beacons of a site.
extension Site {
    func inheritInventory(of former: Site, wall: UnixTime) {
        if let other = former.inventory { inventory?.inherit(other, wall: wall) }
    }

    /// Follows a change of the registry or the plan that changes no kind of a beacon, and no gateway.
    ///
    /// - Throws: if the labels of places can't be read; they are read again in a second.
    func use(_ registries: Registries, wall: UnixTime) throws(StoreFailure) {
        measurements = measurements.map { one in
            guard var ranging = one as? SiteRanging else { return one }
            if ranging.follow(registries) { return ranging }
            guard var other = SiteRanging(layout, registries, wall: wall) else { return one }
            other.unstored = ranging.unstored
            return other
        }
        if let former = inventory {
            inventory = SiteInventory(layout, registries, wall: wall)
            inventory?.inherit(former, wall: wall)
        }
        try restoreLabels()
    }

    func takeForInventory(
        _ message: SightingsMessage, from gateway: String, sharing readings: inout PackedReadings?
    ) -> MessageOutcome {
        MessageOutcome(
            inventory?.take(
                message, from: gateway, acceptsUnsynced: layout.acceptsUnsyncedClocks,
                sharing: &readings) ?? .foreign)
    }

    func restoreInventory(from store: any ResultStore, wall: UnixTime) throws(StoreFailure) {
        guard inventory?.estimator.isNew ?? false else { return }
        let span = wall - StoreRetention.inventory..<UnixTime.max
        inventory?.restore(
            try store.beaconHours(at: layout.site, in: span),
            try store.beaconEvents(at: layout.site, in: span, limit: 100_000))
    }
}

extension BeaconEventResult {
    /// The row of the store.
    var row: StoreBatch.BeaconEvent {
        StoreBatch.BeaconEvent(
            site: site, decided: event.decidedAt, beacon: Self.stored(event.item), id: id,
            document: stored.bytes)
    }
}

import Beacons
import Contract
import Facts
import HTTP
import Inventory
import Posix
import Primitives
import Queueing
import Ranging
import ResultStore
import Results
import Sightings

/// Where the beacons of a site are: by its plan, or in which zone they are, by labels alone.
///
/// Only beacons of the registry that no person carries have a place. Those of visitors are in the sums of zones, and the staff's nowhere. After a restart, places begin anew, and labels stay.
struct SiteRanging: SiteMeasurement {
    let layout: SiteLayout
    private var registry: Registry?
    private(set) var estimator: RangingEstimator
    private(set) var labels = PlaceLabels()
    /// Whether `labels` has those of the store.
    private(set) var areLabelsRestored = false
    /// What the next call of `advance` hands to the store of labels that were removed.
    var unstored: [StoreBatch.PlaceLabel] = []
    private var date: String
    /// The beacons on the date, and their tags in all formats.
    private var table: InventoryTable?
    private var tags: [BeaconIdentity: Tag] = [:]
    private var second: UnixSecond
    /// The calls of `states`, modulo `turns`.
    private var turn = 0
    private let gateways: Set<String>

    /// In one call, each fold folds so much at most: the loop must not wait.
    private static let part = Duration.seconds(10)
    /// The states of all beacons come in so many calls.
    private static let turns = 10
    /// After so long, a label whose windows have not come ends.
    private static let patience = Duration.seconds(120)
    /// The most by which a gateway's clock is ahead.
    private static let clockDifference = Duration.seconds(60)

    /// `nil` for a site with neither a plan nor a registry.
    init?(_ layout: SiteLayout, _ registries: Registries, wall: UnixTime) {
        let drawn = registries.plan(of: layout.site)
        guard drawn != nil || registries[layout.site] != nil else { return nil }
        let plan = drawn ?? FloorPlan(undrawn: layout.measuringGateways)
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
        let (plan, other) = (estimator.plan, former.estimator.plan)
        let isSame =
            plan.isDrawn ? plan == other : !other.isDrawn && plan.gateways == other.gateways
        return isSame && !isAhead
    }

    mutating func takeOver(_ former: SiteRanging) {
        (estimator, second) = (former.estimator, former.second)
        (labels, areLabelsRestored) = (former.labels, former.areLabelsRestored)
        unstored = former.unstored
        useRegistry()
        // Their pseudonyms end with the day, and another beacon may be a visitor's now.
        if date != former.date || layout.beacons != former.layout.beacons {
            estimator.forget { $1.isPerson }
        }
    }

    /// Follows a change of the registry.
    ///
    /// - Returns: `false` after a change of the plan: places begin anew.
    mutating func follow(_ registries: Registries) -> Bool {
        let plan = estimator.plan
        guard registries.plan(of: layout.site) == (plan.isDrawn ? plan : nil) else { return false }
        if registries[layout.site] != registry {
            registry = registries[layout.site]
            useRegistry()
        }
        return true
    }

    mutating func take(
        _ message: SightingsMessage, in parts: [Range<UnixTime>], from gateway: String,
        notBefore bound: UnixTime, sharing readings: inout PackedReadings?,
        pseudonym: (BeaconIdentity, Range<UnixTime>) -> Tag?
    ) -> FactOutcome? {
        guard gateways.contains(gateway), isOfUse else { return .foreign }
        // What is later changes no place of the present, and is no fault.
        guard message.windowEnd > second.start - RangingEstimator.lateness else { return .foreign }
        var heard: [Tag: RangingSubject] = [:]
        let powers = Dictionary(
            message.sightings.map { ($0.identity, Double($0.measuredPower)) },
            uniquingKeysWith: { one, _ in one })
        let facts = parts.compactMap { part in
            WindowFact(message, acceptsUnsynced: layout.acceptsUnsyncedClocks, in: part) {
                if let tag = tags[$0] { return tag }
                let kind = layout.beacons.kind(of: $0)
                guard kind == .visitor, let tag = pseudonym($0, part) else { return nil }
                let claimed = min(heard[tag]?.claimed ?? .infinity, powers[$0] ?? 0)
                heard[tag] = RangingSubject(kind, isMoving: true, claimed: claimed)
                return tag
            }
        }
        for sighting in message.sightings {
            guard let tag = tags[sighting.identity], let entry = table?[entry: tag] else {
                continue
            }
            let claimed = Double(entry.beacon.measuredPower ?? sighting.measuredPower)
            heard[tag] = RangingSubject(
                entry.beacon.kind == .gateway ? .gateway : .fixed,
                isMoving: entry.beacon.kind == .asset,
                claimed: min(heard[tag]?.claimed ?? claimed, claimed))
        }
        return WindowFact(joining: facts).map {
            estimator.take($0.sharing(&readings), from: gateway, heard: heard)
        }
    }

    var isBehind: Bool { estimator.isBehind }

    /// Without a plan, the seconds are folded from the first label on.
    private var isOfUse: Bool { estimator.plan.isDrawn || !estimator.plan.zones.isEmpty }

    /// The zones that labels have made, on a site without a plan.
    var zonesOfLabels: [String] {
        estimator.plan.isDrawn ? [] : estimator.plan.zones.map(\.name)
    }

    mutating func advance(through second: UnixSecond) -> Site.Results {
        self.second = second
        let today = LocalDay(containing: second.start).name
        if today != date {
            date = today
            useRegistry()
            // Their pseudonyms end with the day.
            estimator.forget { $1.isPerson }
        }
        let heard = estimator.advance(through: second, atMost: Self.part)
        for label in labels.standing where second > label.seconds.upperBound + Self.patience {
            labels.end(label.beacon, label.seconds, nil)
        }
        unstored += heard.compactMap { learn($0) }
        return Site.Results()
    }

    /// The changed labels since the last call, for the store.
    mutating func takeUnstored() -> [StoreBatch.PlaceLabel] {
        defer { unstored = [] }
        return unstored
    }

    /// Follows what the inventory says: the beacons whose identity several devices send.
    mutating func use(clones: Set<Tag>) { estimator.clones = clones }

    // MARK: Labels

    /// Expects a beacon to stand in a zone from now on.
    mutating func add(_ request: LabelRequest, wall: UnixTime) throws(Problem) -> PlaceLabels.Label
    {
        let entry = try request.entry(of: table)
        try request.checkZone(of: estimator.plan)
        guard !gateways.isEmpty else {
            throw Problem(
                .conflict,
                "The server measures no gateway of the site; name its gateways in a queue, a region or a plan of the server's file."
            )
        }
        let standing = labels.standing
        guard !standing.contains(where: { $0.beacon == entry.item }) else {
            throw Problem(
                .conflict, "\(entry.name) stands for a label already; ask again after its end.")
        }
        guard standing.count < PlaceLabels.mostRunning else {
            throw Problem(
                .conflict,
                "\(PlaceLabels.mostRunning) beacons stand for labels already; ask again in a minute."
            )
        }
        estimator.addZone(request.zone)
        let zone = estimator.plan.zones.firstIndex { $0.name == request.zone } ?? 0
        let first = UnixSecond(containing: wall).next
        let seconds = first..<first + .seconds(request.seconds)
        estimator.expect(
            LabelTask(tag: entry.key, zone: zone, point: request.point, seconds: seconds))
        return labels.begin(entry, in: request.zone, seconds)
    }

    /// Forgets a label, also one that is standing.
    mutating func remove(_ id: String) throws(Problem) -> PlaceLabels.Label {
        guard let label = labels.remove(id) else {
            throw Problem(
                .notFound, "No label has the id \(id.quotedForPeople); GET lists all of them.")
        }
        if label.known != nil {
            unstored.append(label.removal(layout.site))
            estimator.learn(labels.known)
        }
        return label
    }

    /// - Returns: what the store keeps; `nil` if no gateway has heard the beacon.
    private mutating func learn(_ heard: LabelLevels) -> StoreBatch.PlaceLabel? {
        guard let item = table?[entry: heard.task.tag]?.item else { return nil }
        let label = labels.end(item, heard.task.seconds, estimator.label(heard))
        guard let label, label.known != nil else { return nil }
        estimator.learn(labels.known)
        return label.row(layout.site, estimator.plan)
    }

    /// Takes the labels of earlier runs.
    mutating func restore(_ rows: [StoreBatch.PlaceLabel]) {
        areLabelsRestored = true
        let entries = Dictionary(
            (table?.entries ?? []).map { (BeaconEventResult.stored($0.item), $0) },
            uniquingKeysWith: { first, _ in first })
        for zone in rows.compactMap(\.zone) where Topics.isName(zone) { estimator.addZone(zone) }
        labels.restore(rows.compactMap { PlaceLabels.Label($0, entries, estimator.plan) })
        if !labels.known.isEmpty { estimator.learn(labels.known) }
    }

    /// The zones, and the places of a part of the beacons; all of them come in ten calls.
    mutating func states(
        absences: [String: QueueNow.Reason.Cause], isDurable: Bool
    ) -> [PresentState] {
        guard isOfUse else { return [] }
        let absent = estimator.absent.map { $0.explained(by: absences) }
        defer { turn = (turn + 1) % Self.turns }
        let entries = table?.entries ?? []
        let zones = estimator.zones(absent).map { now in
            PresentState(now.zone) { [layout] in
                ZoneResult(site: layout.site, now, rev: $0, isDurable: isDurable)
            }
        }
        return zones
            + stride(from: turn, to: entries.count, by: Self.turns).map { index in
                let entry = entries[index]
                let now =
                    entry.isRetired ? estimator.retired : estimator.now(entry.key, absent)
                return PresentState(entry.item) { [layout] in
                    PlaceResult(
                        site: layout.site, beacon: entry.item, name: entry.beacon.name,
                        carrier: entry.beacon.kind.rawValue, now, rev: $0)
                }
            }
    }
}

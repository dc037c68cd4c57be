import Beacons
import Contract
import HTTP
import Inventory
import JSON
import Primitives
import Queueing
import Regions
import ResultStore
import Results

/// The regions that people have set in the browser, beside those of the server's file, with all changes.
struct EditedRegions {
    struct Change {
        let at: UnixTime
        let region: String
        /// The name of the token.
        let client: String
        /// `nil` of a region that was removed.
        let layout: RegionLayout?

        static let members: [ResultMember<Change>] = [
            .time("at") { $0.at }.published(as: .time), .name("region") { $0.region },
            .text("client", "The name of the token.") { $0.client },
            .json(
                "definition", "null of a region that was removed.",
                as: .schema([.init("type", ["object", "null"])])
            ) {
                $0.layout?.definition ?? .null
            },
        ]
    }

    /// The oldest first.
    private(set) var changes: [Change] = []
    /// Whether those of the store are here.
    private(set) var isRestored = false
    /// For the store.
    private var unstored: [Change] = []

    /// Of a site, beside the last one of each region. The store keeps all of them.
    static let mostChanges = 1000
    fileprivate static let mostStored = 100_000
    static let mostRegions = 100
    /// A beacon that entered earlier is not known to be in a region after a restart.
    fileprivate static let longestPresence = Duration.seconds(86_400)
    fileprivate static let mostEvents = 100_000

    /// The present regions, by their names.
    var layouts: [RegionLayout] {
        var present: [String: RegionLayout] = [:]
        for change in changes { present[change.region] = change.layout }
        return present.values.sorted { $0.name < $1.name }
    }

    mutating func add(_ change: Change) {
        changes = Self.kept(changes + [change])
        unstored.append(change)
    }

    /// The newest changes, and the last one of each region: the present regions follow from these.
    private static func kept(_ changes: [Change]) -> [Change] {
        var excess = changes.count - mostChanges
        guard excess > 0 else { return changes }
        let last = Dictionary(
            changes.indices.map { (changes[$0].region, $0) }, uniquingKeysWith: max)
        return changes.indices.filter { index in
            guard excess > 0, last[changes[index].region] != index else { return true }
            excess -= 1
            return false
        }.map { changes[$0] }
    }

    mutating func takeUnstored(_ site: String) -> [StoreBatch.RegionChange] {
        defer { unstored = [] }
        return unstored.map { change in
            let document = change.layout.map { $0.stored } ?? Array("{}".utf8)
            return StoreBatch.RegionChange(
                site: site, at: change.at, region: change.region, client: change.client,
                document: document)
        }
    }

    /// Takes the changes of earlier runs. One that can't be read any more removes its region.
    ///
    /// - Parameter uuids: those that the store may mean.
    mutating func restore(_ rows: [StoreBatch.RegionChange], _ uuids: [ProximityUUID]) {
        isRestored = true
        let uuids = Dictionary(
            Set(uuids).map { (BeaconEventResult.hash($0), $0) }, uniquingKeysWith: { one, _ in one }
        )
        let earlier = changes.first.map { first in rows.filter { $0.at < first.at } } ?? rows
        changes = Self.kept(
            earlier.map { row in
                Change(
                    at: row.at, region: row.region, client: row.client,
                    layout: RegionLayout(stored: row.document, uuids))
            } + changes)
    }
}

extension RegionLayout {
    /// What the region has, without what is left out.
    fileprivate var definition: JSON {
        guard case .object(let members) = json else { return .null }
        return .object(members.filter { $0.value != .null && $0.value != .array([]) })
    }

    /// The store has no UUID: a hash stands for it.
    fileprivate var stored: [UInt8] {
        definition.replacing { ProximityUUID($0).map(BeaconEventResult.hash) ?? $0 }.bytes
    }

    fileprivate init?(stored bytes: [UInt8], _ uuids: [String: ProximityUUID]) {
        guard let json = try? JSON(parsing: bytes, maxBytes: 1 << 20) else { return nil }
        let complete = json.replacing { uuids[$0].map { "\($0)" } ?? $0 }
        let layout = try? ObjectReader.decode(complete) { RegionLayout(from: &$0) }
        guard let layout else { return nil }
        self = layout
    }
}

extension JSON {
    /// With other texts of the members `uuid`.
    fileprivate func replacing(_ other: (String) -> String) -> JSON {
        switch self {
        case .array(let elements): .array(elements.map { $0.replacing(other) })
        case .object(let members):
            .object(
                members.map { member in
                    if member.key == "uuid", case .string(let text) = member.value {
                        return .init("uuid", .string(other(text)))
                    }
                    return .init(member.key, member.value.replacing(other))
                })
        default: self
        }
    }
}

/// A region with its origin.
struct RegionDefinition {
    enum Source: String, CaseIterable {
        /// The server's file: nobody changes it in the browser.
        case file
        case page
    }

    let layout: RegionLayout
    let source: Source

    static let members: [ResultMember<RegionDefinition>] = [
        .name("region") { $0.layout.name },
        .word(
            "source",
            "file: by the server's file, and only changed there. page: by people in the browser."
        ) { $0.source },
        .json(
            "definition", "As an element of regions in the server's file.",
            as: .schema([.init("type", "object")])
        ) {
            $0.layout.definition
        },
    ]
}

extension Site {
    /// Those of the file first. A region of the file hides one of the same name.
    var definitions: [RegionDefinition] {
        let names = Set(layout.regions.map(\.name))
        return layout.regions.map { RegionDefinition(layout: $0, source: .file) }
            + edited.layouts.filter { !names.contains($0.name) }
            .map { RegionDefinition(layout: $0, source: .page) }
    }

    /// The UUIDs of the configuration and the registry.
    private var uuids: [ProximityUUID] {
        let kinds = layout.beacons
        let ranges =
            kinds.visitor + kinds.staff + kinds.fixed + kinds.gateway
            + layout.regions.flatMap(\.beacons)
        return ranges.compactMap(\.uuid) + (inventory?.uuids ?? [])
    }

    /// Whether the configuration or the registry says that the one beacon of a range is on a thing.
    private func isOfThings(_ range: BeaconRange) -> Bool {
        let things: Set<TagKind> = [.fixed, .gateway]
        let identity = range.uuid.map {
            BeaconIdentity(
                range.type ?? .iBeacon, prefix: $0,
                suffix: UInt32(range.major.lowerBound) << 16 | UInt32(range.minor.lowerBound))
        }
        return identity.map { things.contains(layout.beacons.kind(of: $0)) } ?? true
    }

    /// Sets a region, or removes it.
    ///
    /// - Parameter layout: `nil` removes.
    func set(
        _ region: String, _ layout: RegionLayout?, by client: String, wall: UnixTime
    ) throws(Problem) {
        guard !self.layout.regions.contains(where: { $0.name == region }) else {
            throw Problem(
                .conflict,
                "The region \(region) is of the server's file; change it there, and reload the server."
            )
        }
        let present = edited.layouts
        let former = present.first { $0.name == region }
        if let layout {
            let known = self.layout.measuringGateways
            guard !known.isEmpty else {
                throw Problem(
                    .conflict,
                    "The server measures no gateway of the site; name its gateways in a queue, a region or a plan of the server's file."
                )
            }
            for gateway in layout.gateways where !known.contains(gateway) {
                let near = NearestWord.to(gateway, among: known)
                throw Problem(
                    .badRequest,
                    "The server measures no gateway \(gateway.quotedForPeople)"
                        + (near.map { "; did you mean \($0.quotedForPeople)?" }
                            ?? "; its gateways are \(known.joined(separator: ", "))."))
            }
            for range in layout.beacons where !(range.uuid.map(uuids.contains) ?? false) {
                throw Problem(
                    .badRequest,
                    "A region of the browser has UUIDs that the configuration or the registry names: the store keeps none. Set other beacons in the server's file."
                )
            }
            for range in layout.beacons where range.major.count == 1 && range.minor.count == 1 {
                guard !isOfThings(range) else { continue }
                throw Problem(
                    .badRequest,
                    "A region of the browser names no single beacon of a person: everybody may read how many are inside. Name more beacons."
                )
            }
            guard former != nil || present.count < EditedRegions.mostRegions else {
                throw Problem(
                    .conflict, "The site has \(present.count) regions of the browser already.")
            }
        } else if former == nil {
            throw Problem(
                .notFound, "The browser has set no region \(region.quotedForPeople).")
        }
        guard layout != former else { return }
        // A key of the store is one change.
        let last = edited.changes.last.map { $0.at + .milliseconds(1) } ?? wall
        edited.add(.init(at: max(wall, last), region: region, client: client, layout: layout))
        beginRegions(wall: wall)
    }

    /// Takes the changes of earlier runs, once.
    func restoreEditedRegions() throws(StoreFailure) {
        guard !edited.isRestored, store.isOpen else { return }
        let rows = try store.regionChanges(at: layout.site, newest: EditedRegions.mostStored)
        edited.restore(rows, uuids)
        if !rows.isEmpty, !edited.layouts.isEmpty { useEditedRegions() }
    }

    func useEditedRegions() {
        measurements.removeAll { $0 is SiteRegions }
        let regions = SiteRegions(
            listed, allowedLateness: allowedLateness, keepsPersons: keepsVisits)
        if let regions { measurements.insert(regions, at: 0) }
        states.follow(listed)
    }

    /// Begins all regions anew, as a restart does: the beacons that were inside are unknown until a gateway hears them.
    private func beginRegions(wall: UnixTime) {
        useEditedRegions()
        try? restoreRegions(wall: wall)
    }

    /// Takes the events of regions of the last day, unless the regions know more.
    func restoreRegions(wall: UnixTime) throws(StoreFailure) {
        guard regions?.estimator.isNew ?? false else { return }
        let span = wall - EditedRegions.longestPresence..<UnixTime.max
        restore(
            try store.regionEvents(
                of: nil, at: layout.site, in: span, limit: EditedRegions.mostEvents))
    }
}

import Facts
import Inventory
import JSON
import Primitives
import Ranging
import ResultStore
import Results

/// Where registered beacons stood, by people who have said so.
struct PlaceLabels {
    struct Label {
        enum State: String, CaseIterable {
            /// It stands there for some seconds more.
            case standing
            case learnt
            /// No gateway has heard it meanwhile.
            case unheard
        }

        /// `UUID/MAJOR/MINOR`.
        let beacon: String
        let name: String?
        let zone: String
        let seconds: Range<UnixSecond>
        fileprivate(set) var state: State
        /// What the model learns.
        fileprivate(set) var known: PlaceLabel?

        /// The name of the label in the API.
        var id: String {
            let key = "\(beacon) \(seconds.lowerBound.start.milliseconds)"
            return String(SHA256Digest(of: Array(key.utf8)).description.prefix(16))
        }

        static let members: [ResultMember<(label: Label, site: String)>] = [
            .name("id") { $0.label.id }, .name("site") { $0.site },
            .text("beacon", "UUID/MAJOR/MINOR.") { $0.label.beacon },
            .text("name", "The name in the registry; null without one.") { $0.label.name }
                .nullable,
            .name("zone") { $0.label.zone },
            .time("from") { $0.label.seconds.lowerBound.start }.published(as: .time),
            .time("until") { $0.label.seconds.upperBound.start }.published(as: .time),
            .word(
                "state",
                "standing: until its end, and for two minutes more at most. learnt: the model has it, also after a restart. unheard: no gateway has heard the beacon meanwhile, or several devices send its identity."
            ) { $0.label.state },
            .number(
                "x",
                "The place that was learnt: that of the request, or the most probable one in the zone; null before, and without a plan.",
                places: 1, atLeast: nil
            ) { $0.label.known?.place?.point.x }.nullable,
            .number("y", places: 1, atLeast: nil) { $0.label.known?.place?.point.y }.nullable,
        ]
    }

    /// The oldest first.
    private(set) var labels: [Label] = []

    static let most = 1000
    /// So many beacons stand at once.
    static let mostRunning = 16

    var known: [PlaceLabel] { labels.compactMap(\.known) }
    var standing: [Label] { labels.filter { $0.state == .standing } }

    /// Adds labels of the store to those of this run.
    mutating func restore(_ stored: [Label]) {
        let own = labels
        let others = stored.filter { one in
            !own.contains { $0.beacon == one.beacon && $0.seconds == one.seconds }
        }
        labels = (others + own).sorted { $0.seconds.lowerBound < $1.seconds.lowerBound }
            .suffix(Self.most)
    }

    mutating func begin(
        _ entry: InventoryTable.Entry, in zone: String, _ seconds: Range<UnixSecond>
    ) -> Label {
        let label = Label(
            beacon: entry.item, name: entry.beacon.name, zone: zone, seconds: seconds,
            state: .standing)
        labels.append(label)
        if labels.count > Self.most { labels.removeFirst() }
        return label
    }

    /// Ends a label.
    ///
    /// - Parameter known: `nil` if no gateway has heard it.
    @discardableResult
    mutating func end(
        _ beacon: String, _ seconds: Range<UnixSecond>, _ known: PlaceLabel?
    ) -> Label? {
        let index = labels.lastIndex {
            $0.beacon == beacon && $0.seconds == seconds && $0.state == .standing
        }
        guard let index else { return nil }
        labels[index].state = known == nil ? .unheard : .learnt
        labels[index].known = known
        return labels[index]
    }

    /// - Returns: the label; `nil` if there is no such one.
    mutating func remove(_ id: String) -> Label? {
        labels.firstIndex { $0.id == id }.map { labels.remove(at: $0) }
    }
}

/// The stored form. The store has no UUID of a beacon: a hash stands for it.
extension PlaceLabels.Label {
    /// `nil` of a label that is not learnt.
    func row(_ site: String, _ plan: FloorPlan) -> StoreBatch.PlaceLabel? {
        guard let known else { return nil }
        let levels = plan.gateways.indices.compactMap { index -> JSON.Member? in
            guard let level = known.levels[index] else { return nil }
            let (place, spread) = (plan.gateways[index].place, known.spreads[index])
            let numbers = [
                level, place.point.x, place.point.y, place.z, spread?.deviation,
                spread.map { Double($0.count) },
            ].compactMap(\.self)
            return JSON.Member(plan.gateways[index].name, .array(numbers.map { .number($0) }))
        }
        let point = known.place?.point
        let document = JSON.object(
            [
                .init("zone", .string(zone)),
                .init("seconds", .integer(seconds.duration.wholeSeconds)),
                point.map { .init("x", .number($0.x)) }, point.map { .init("y", .number($0.y)) },
                .init("claimed", .number(known.claimed)), .init("levels", .object(levels)),
            ].compactMap(\.self))
        return StoreBatch.PlaceLabel(
            site: site, beacon: BeaconEventResult.stored(beacon), start: seconds.lowerBound.start,
            document: document.bytes)
    }

    /// What takes the place of a removed label in the store.
    func removal(_ site: String) -> StoreBatch.PlaceLabel {
        .removal(
            site: site, beacon: BeaconEventResult.stored(beacon), start: seconds.lowerBound.start)
    }

    /// A gateway that is so near to its former place has not moved, in metres.
    private static let samePlace = 0.1

    /// A stored label; `nil` if the registry has no such beacon, the plan no such zone, or all gateways have moved. Without a plan,
    /// gateways have no places.
    init?(
        _ row: StoreBatch.PlaceLabel, _ entries: [String: InventoryTable.Entry], _ plan: FloorPlan
    ) {
        guard let entry = entries[row.beacon],
            let document = try? JSON(parsing: row.document, maxBytes: 1 << 16),
            case .string(let zone)? = document["zone"], let claimed = document["claimed"]?.double,
            case .integer(let length)? = document["seconds"], (1...3600).contains(length),
            let index = plan.zones.firstIndex(where: { $0.name == zone })
        else { return nil }
        let x = document["x"]?.double
        let point = x.flatMap { x in document["y"]?.double.map { PlanPoint(x, $0) } }
        guard !plan.isDrawn || point.map(plan.zones[index].outline.contains) ?? false else {
            return nil
        }
        var spreads: [LevelSpread?] = []
        let levels = plan.gateways.map { gateway -> Double? in
            spreads.append(nil)
            guard case .array(let numbers)? = document["levels"]?[gateway.name] else { return nil }
            let values = numbers.compactMap(\.double)
            guard values.count >= 4 else { return nil }
            if values.count > 5, let count = Int(exactly: values[5]), count > 0 {
                spreads[spreads.count - 1] = LevelSpread(deviation: values[4], count: count)
            }
            let place = RoomPlace(PlanPoint(values[1], values[2]), z: values[3])
            let isThere = !plan.isDrawn || gateway.place.distance(to: place) < Self.samePlace
            return isThere ? values[0] : nil
        }
        guard levels.contains(where: { $0 != nil }) else { return nil }
        beacon = entry.item
        name = entry.beacon.name
        self.zone = zone
        let start = UnixSecond(containing: row.start)
        seconds = start..<start + .seconds(length)
        state = .learnt
        known = PlaceLabel(
            tag: entry.key, claimed: claimed, zone: index,
            place: plan.isDrawn ? point.map { RoomPlace($0, z: plan.beaconHeight) } : nil,
            levels: levels, spreads: spreads)
    }
}

extension StoreBatch.PlaceLabel {
    /// The name of its zone.
    var zone: String? {
        guard case .string(let zone)? = (try? JSON(parsing: document, maxBytes: 1 << 16))?["zone"]
        else { return nil }
        return zone
    }
}

extension JSON {
    fileprivate var double: Double? {
        switch self {
        case .integer(let number): Double(number)
        case .number(let number): number
        default: nil
        }
    }
}

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

        static let members: [ResultMember<(label: Label, site: String)>] = [
            .name("site") { $0.site }, .text("beacon", "UUID/MAJOR/MINOR.") { $0.label.beacon },
            .text("name", "The name in the registry; null without one.") { $0.label.name }
                .nullable,
            .name("zone") { $0.label.zone },
            .time("from") { $0.label.seconds.lowerBound.start }.published(as: .time),
            .time("until") { $0.label.seconds.upperBound.start }.published(as: .time),
            .word(
                "state",
                "standing: until its end, and for two minutes more at most. learnt: the model has it, also after a restart. unheard: no gateway has heard the beacon meanwhile."
            ) { $0.label.state },
            .number(
                "x",
                "The place that was learnt: that of the request, or the most probable one in the zone; null before.",
                places: 1, atLeast: nil
            ) { $0.label.known?.place.point.x }.nullable,
            .number("y", places: 1, atLeast: nil) { $0.label.known?.place.point.y }.nullable,
        ]
    }

    /// The oldest first.
    private(set) var labels: [Label] = []

    private static let most = 1000
    /// So many beacons stand at once.
    static let mostStanding = 16

    var known: [PlaceLabel] { labels.compactMap(\.known) }
    var standing: [Label] { labels.filter { $0.state == .standing } }

    mutating func add(_ label: Label) {
        labels.append(label)
        if labels.count > Self.most { labels.removeFirst() }
    }

    mutating func begin(
        _ entry: InventoryTable.Entry, in zone: String, _ seconds: Range<UnixSecond>
    ) -> Label {
        let label = Label(
            beacon: entry.item, name: entry.beacon.name, zone: zone, seconds: seconds,
            state: .standing)
        add(label)
        return label
    }

    /// Ends the standing of a beacon.
    ///
    /// - Parameter known: `nil` if no gateway has heard it.
    mutating func end(_ beacon: String, _ known: PlaceLabel?) {
        guard
            let index = labels.lastIndex(where: { $0.beacon == beacon && $0.state == .standing })
        else { return }
        labels[index].state = known == nil ? .unheard : .learnt
        labels[index].known = known
    }
}

/// The stored form. The store has no UUID of a beacon: a hash stands for it.
extension PlaceLabels.Label {
    /// `nil` of a label that is not learnt.
    func row(_ site: String, _ plan: FloorPlan) -> StoreBatch.PlaceLabel? {
        guard let known else { return nil }
        let levels = zip(plan.gateways, known.levels).compactMap { gateway, level in
            level.map { JSON.Member(gateway.name, .number($0)) }
        }
        let document: JSON = [
            "zone": .string(zone), "seconds": .integer(seconds.duration.wholeSeconds),
            "x": .number(known.place.point.x), "y": .number(known.place.point.y),
            "claimed": .number(known.claimed), "levels": .object(levels),
        ]
        return StoreBatch.PlaceLabel(
            site: site, beacon: BeaconEventResult.stored(beacon), start: seconds.lowerBound.start,
            document: document.bytes)
    }

    /// A stored label; `nil` if the registry has no such beacon, or the plan no such zone.
    init?(_ row: StoreBatch.PlaceLabel, _ entries: [InventoryTable.Entry], _ plan: FloorPlan) {
        guard let entry = entries.first(where: { BeaconEventResult.stored($0.item) == row.beacon }),
            let document = try? JSON(parsing: row.document, maxBytes: 1 << 16),
            case .string(let zone)? = document["zone"], let x = document["x"]?.double,
            let y = document["y"]?.double, let claimed = document["claimed"]?.double,
            case .integer(let length)? = document["seconds"], (1...3600).contains(length),
            let outline = plan.zones.first(where: { $0.name == zone })?.outline,
            outline.contains(PlanPoint(x, y))
        else { return nil }
        beacon = entry.item
        name = entry.beacon.name
        self.zone = zone
        let start = UnixSecond(containing: row.start)
        seconds = start..<start + .seconds(length)
        state = .learnt
        known = PlaceLabel(
            tag: entry.key, claimed: claimed,
            place: RoomPlace(PlanPoint(x, y), z: plan.beaconHeight),
            levels: plan.gateways.map { document["levels"]?[$0.name]?.double })
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

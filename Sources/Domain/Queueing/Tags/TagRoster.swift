/// The tags that are known at a site, and those of them that are present. The number of both has a bound.
struct TagRoster {
    var records: [Tag: TagRecord] = [:]
    /// In ascending order: they have records.
    private(set) var present: [Tag] = []
    /// Seconds of the tags for which there was no place.
    private(set) var refused = 0
    private let gateways: Int
    private let queues: Int
    /// Whether the configuration names the visitors' tags.
    private let visitorsAreNamed: Bool

    /// Rotating addresses bring new identities without end.
    private static let mostTags = 20_000
    /// A tag that was not heard for so long is forgotten.
    private static let memory = Duration.seconds(86_400)

    init(gateways: Int, queues: Int, visitorsAreNamed: Bool) {
        self.gateways = gateways
        self.queues = queues
        self.visitorsAreNamed = visitorsAreNamed
    }

    /// The known tags by their kind: those of the last day, apart from strangers that made room.
    var kinds: [TagKind: Int] {
        records.values.reduce(into: [:]) { $0[$1.behaviour.kind, default: 0] += 1 }
    }

    /// A tag that comes, and the gateway that hears it loudest.
    private typealias Arrival = (tag: Tag, power: Double, gateway: Int)

    /// Makes tags present that come, as far as there are places: known ones first, then the loudest.
    ///
    /// - Returns: those that are present now.
    mutating func admit(_ seconds: [GatewaySecond], at second: UnixSecond) -> [Tag] {
        let arrivals = arrivals(in: seconds)
        guard !arrivals.isEmpty else { return [] }
        if records.count >= Self.mostTags { forgetStrangers() }
        var places = TagPlaces(present.compactMap { records[$0]?.cameTo }, gateways: gateways)
        var admitted: [Tag] = []
        let known = arrivals.filter { records[$0.tag] != nil }
        for arrival in known + arrivals.filter({ records[$0.tag] == nil }) {
            let hasRecord = records[arrival.tag] != nil
            guard hasRecord || records.count < Self.mostTags, places.take(at: arrival.gateway)
            else {
                refused += 1
                continue
            }
            if !hasRecord {
                records[arrival.tag] = TagRecord(
                    gateways: gateways, queues: queues, isNamed: visitorsAreNamed, second: second)
            }
            records[arrival.tag]?.cameTo = arrival.gateway
            admitted.append(arrival.tag)
        }
        present = (present + admitted).sorted()
        return admitted
    }

    mutating func leave(_ tag: Tag) { present.removeAll { $0 == tag } }

    /// The tags that are not present, the loudest ones first. A full registry thus refuses the same ones each time.
    private func arrivals(in seconds: [GatewaySecond]) -> [Arrival] {
        var loudest: [Tag: Arrival] = [:]
        for (gateway, second) in seconds.enumerated() {
            for level in second.levels where !isPresent(level.tag) {
                guard level.power > loudest[level.tag]?.power ?? -.infinity else { continue }
                loudest[level.tag] = (level.tag, level.power, gateway)
            }
        }
        return loudest.values.sorted { ($1.power, $0.tag) < ($0.power, $1.tag) }
    }

    private func isPresent(_ tag: Tag) -> Bool {
        let index = present.partitioningIndex { $0 >= tag }
        return index < present.count && present[index] == tag
    }

    /// Removes tags that have left and were only present.
    private mutating func forgetStrangers() {
        let kept = Set(present)
        records = records.filter { kept.contains($0.key) || !$0.value.behaviour.isStranger }
    }

    /// Removes tags that were not heard for a day.
    mutating func forget(at second: UnixSecond) {
        let kept = Set(present)
        records = records.filter { tag, record in
            kept.contains(tag) || second - record.lastHeard < Self.memory
        }
    }
}

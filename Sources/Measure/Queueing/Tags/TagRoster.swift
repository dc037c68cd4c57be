import Facts
import Primitives

/// The tags that are known at a site, and those of them that are present. The number of both has a bound.
struct TagRoster {
    /// The tags that are present, in ascending order. Each second changes all of them in place.
    var present: [TagRecord] = []
    /// The other known ones.
    private var absent: [Tag: AbsentTag] = [:]
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
        (present.map(\.kind) + absent.values.map(\.kind)).reduce(into: [:]) {
            $0[$1, default: 0] += 1
        }
    }

    /// The kind of a tag.
    func kind(of tag: Tag) -> TagKind {
        place(of: tag).map { present[$0].kind } ?? absent[tag]?.kind ?? .visitor
    }

    mutating func noteVisit(of tag: Tag) {
        if let place = place(of: tag) {
            present[place].noteVisit()
        } else {
            absent[tag]?.noteVisit()
        }
    }

    /// A tag that comes, and the gateway that hears it loudest.
    private typealias Arrival = (tag: Tag, power: Double, gateway: GatewayIndex)

    /// Makes tags present that come, as far as there are places: known ones first, then the loudest. A full registry thus
    /// refuses the same ones each time.
    ///
    /// - Parameter mode: of the site.
    mutating func admit(_ seconds: [GatewaySecond], _ mode: ShoppingMode, at second: UnixSecond) {
        let arrivals = arrivals(in: seconds)
        guard !arrivals.isEmpty else { return }
        if known >= Self.mostTags { forgetStrangers() }
        var places = TagQuota(present.map(\.cameTo), gateways: gateways)
        // A flood of identities comes again each second.
        guard arrivals.contains(where: { places.hasRoom(at: $0.gateway) }) else {
            refused += arrivals.count
            return
        }
        admit(arrivals, mode, &places, at: second)
    }

    private mutating func admit(
        _ arrivals: some Collection<Arrival>, _ mode: ShoppingMode, _ places: inout TagQuota,
        at second: UnixSecond
    ) {
        let arrivals = arrivals.sorted { ($1.power, $0.tag) < ($0.power, $1.tag) }
        let isKnown = { [absent] (arrival: Arrival) in absent[arrival.tag] != nil }
        for arrival in arrivals.filter(isKnown) + arrivals.filter({ !isKnown($0) }) {
            let old = absent.removeValue(forKey: arrival.tag)
            guard old != nil || known < Self.mostTags, places.take(at: arrival.gateway) else {
                absent[arrival.tag] = old
                refused += 1
                continue
            }
            var record =
                old.map { TagRecord($0, arrival.tag, gateways: gateways) }
                ?? TagRecord(
                    arrival.tag, gateways: gateways, queues: queues, isNamed: visitorsAreNamed,
                    second: second)
            record.come(to: arrival.gateway, mode)
            present.insert(record, at: insertionPlace(of: arrival.tag))
        }
    }

    /// Ends the presence of tags. They are known again with `keep`.
    mutating func leave(where isGone: (TagRecord) -> Bool) -> [TagRecord] {
        let gone = present.filter(isGone)
        if !gone.isEmpty { present.removeAll(where: isGone) }
        return gone
    }

    /// Keeps what is known of a tag that has left, and whose tracks have ended.
    mutating func keep(_ record: TagRecord) { absent[record.tag] = record.absent }

    private var known: Int { present.count + absent.count }

    /// The tags that are not present.
    private func arrivals(in seconds: [GatewaySecond]) -> Dictionary<Tag, Arrival>.Values {
        var loudest: [Tag: Arrival] = [:]
        for (gateway, second) in zip(GatewayIndex.all(of: seconds), seconds) {
            for level in second.levels where place(of: level.tag) == nil {
                guard level.power > loudest[level.tag]?.power ?? -.infinity else { continue }
                loudest[level.tag] = (level.tag, level.power, gateway)
            }
        }
        return loudest.values
    }

    /// The index in `present`.
    private func place(of tag: Tag) -> Int? {
        let index = insertionPlace(of: tag)
        return index < present.count && present[index].tag == tag ? index : nil
    }

    /// The index of the first tag that is not smaller; a search without copies of records.
    private func insertionPlace(of tag: Tag) -> Int {
        var (low, high) = (0, present.count)
        while low < high {
            let middle = (low + high) / 2
            if present[middle].tag < tag { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Removes tags that have left and were only present.
    private mutating func forgetStrangers() {
        absent = absent.filter { !$0.value.isStranger }
    }

    /// Removes tags that were not heard for a day.
    mutating func forget(at second: UnixSecond) {
        absent = absent.filter { second - $0.value.lastHeard < Self.memory }
    }
}

/// The places of the tags that are present: each tag takes one of the gateway to which it came.
///
/// Half of the places are divided evenly among the gateways, and the others are common. A flood of identities at one
/// gateway thus leaves room at the others.
struct TagQuota {
    /// By gateway: tags that came to it.
    private var taken: [Int]
    /// Places of each gateway's own.
    private let share: Int

    /// Each tag that is present costs processor time.
    private static let all = 1_000
    private static let common = all / 2

    /// - Parameters:
    ///   - taken: the gateway of each tag that is present.
    ///   - count: the number of gateways.
    init(_ taken: some Sequence<GatewayIndex>, gateways count: Int) {
        self.taken = [Int](repeating: 0, count: count)
        share = (Self.all - Self.common) / count
        for gateway in taken { self.taken[gateway] += 1 }
    }

    /// Whether there is a place for a tag that comes to a gateway.
    func hasRoom(at gateway: GatewayIndex) -> Bool {
        taken[gateway] < share || taken.reduce(0) { $0 + max(0, $1 - share) } < Self.common
    }

    /// - Returns: whether there was a place for a tag that comes to a gateway.
    mutating func take(at gateway: GatewayIndex) -> Bool {
        guard hasRoom(at: gateway) else { return false }
        taken[gateway] += 1
        return true
    }
}

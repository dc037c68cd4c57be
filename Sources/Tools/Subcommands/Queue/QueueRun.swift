import Beacons
import Contract
import Facts
import JSON
import Posix
import Primitives
import Queueing
import Results

/// The estimators of all sites of a configuration, and the counts of the input.
struct QueueRun: RecordedRun {
    /// One site with its estimator.
    private struct Site {
        let layout: SiteLayout
        var estimator: QueueEstimator
        var restatements = Restatements()
        /// The minute of the newest window: provisional results follow once a minute.
        var minute: UnixSecond = 0
    }

    private var sites: [Site]
    private var indices: [String: Int]
    /// The identities of tags, where they are printed.
    private var identities: [Tag: BeaconIdentity] = [:]
    private let showsIdentities: Bool
    var counts = InputSummary()

    init(
        _ configuration: QueueConfiguration, showsIdentities: Bool, allowedLateness: Duration?
    ) {
        sites = configuration.sites.map { layout in
            Site(
                layout: layout,
                estimator: QueueEstimator(layout, allowedLateness: allowedLateness ?? .zero))
        }
        indices = Dictionary(
            sites.enumerated().map { ($1.layout.site, $0) }, uniquingKeysWith: { first, _ in first }
        )
        self.showsIdentities = showsIdentities
    }

    /// Results that later messages can't change, and the provisional results of new minutes.
    mutating func advance() -> [JSON] {
        sites.indices.flatMap { index -> [JSON] in
            guard let newest = sites[index].estimator.newest else { return [] }
            let minute = UnixSecond(containing: newest).floored(to: QueuePeriod.step)
            guard minute > sites[index].minute else { return [] }
            sites[index].minute = minute
            let results = sites[index].estimator.advance()
            sites[index].estimator.advance(through: minute)
            return results.compactMap { json($0, index) }
                + sites[index].estimator.provisional.compactMap { json($0, index, false) }
        }
    }

    /// Writes all other results: no message will follow. The minutes of those who are still in line stay provisional.
    mutating func finish(_ write: (JSON) -> Void) {
        for index in sites.indices {
            guard let newest = sites[index].estimator.newest else { continue }
            // The results of months of gaps have no place in memory.
            repeat {
                let closed = sites[index].estimator.advance(atMost: Self.part)
                closed.compactMap { json($0, index) }.forEach(write)
            } while sites[index].estimator.isBehind
            sites[index].estimator.advance(through: UnixSecond(notBefore: newest))
            let unfinished = sites[index].estimator.unfinished
            let isUnfinished = { (result: QueueEstimator.Result) -> Bool in
                guard case .period(let period) = result else { return false }
                return unfinished.contains {
                    $0.queue == period.queue && $0.seconds.lowerBound == period.seconds.lowerBound
                }
            }
            let last = sites[index].estimator.finish().filter { !isUnfinished($0) }
            last.compactMap { json($0, index) }.forEach(write)
            unfinished.compactMap { json($0, index, false) }.forEach(write)
        }
        write(summary)
    }

    /// The time that is folded between two writes.
    private static let part = Duration.seconds(3600)

    mutating func take(_ message: SightingsMessage, from topics: Topics?) -> String? {
        let (site, gateway) = (topics?.site ?? message.site, topics?.gateway ?? message.gateway)
        guard let index = indices[site] else {
            counts.note(.foreign, of: "\(site)/\(gateway)")
            return nil
        }
        let layout = sites[index].layout
        var seen: [(Tag, BeaconIdentity)] = []
        let window = WindowFact(message, acceptsUnsynced: layout.acceptsUnsyncedClocks) {
            identity in
            guard layout.beacons.kind(of: identity) == .visitor else { return nil }
            let tag = Tag(identity)
            if showsIdentities { seen.append((tag, identity)) }
            return tag
        }
        guard let window else { return fault("/window: its times are impossible") }
        for (tag, identity) in seen { identities[tag] = identity }
        counts.note(
            sites[index].estimator.take(window, from: gateway), of: "\(site)/\(gateway)")
        return nil
    }

    private mutating func json(_ result: QueueEstimator.Result, _ index: Int) -> JSON? {
        switch result {
        case .visit(let visit):
            return VisitResult(
                site: sites[index].layout.site, visit, beacon: identities[visit.tag].map { "\($0)" }
            ).json
        case .period(let period): return json(period, index, true)
        }
    }

    private mutating func json(_ period: QueuePeriod, _ index: Int, _ isFinal: Bool) -> JSON? {
        sites[index].restatements.result(
            of: period, site: sites[index].layout.site, isFinal: isFinal)?.json
    }

    private var summary: JSON {
        var tags: [TagKind: Int] = [:]
        for counts in sites.flatMap(\.estimator.counts) {
            tags.merge(counts.byKind, uniquingKeysWith: +)
        }
        let stays = TagKind.allCases.compactMap { kind in
            tags[kind].map { JSON.Member(kind.rawValue, .integer(Int64($0))) }
        }
        return .object(
            [.init("v", 1), .init("kind", "summary")] + counts.members
                + [.init("stays", .object(stays))])
    }
}

/// The latest state of a queue, and whether it is still of the present.
struct QueueState {
    private let document: JSON
    private let arrived: Instant
    private(set) var isStale = false

    /// A publication may be under way for so long.
    private static let delay = Duration.seconds(5)

    init(_ document: JSON, at now: Instant) {
        self.document = document
        arrived = now
    }

    /// The same, after its time.
    var stale: QueueState {
        var stale = self
        stale.isStale = true
        return stale
    }

    /// When it becomes stale without another state; `nil` for a stale one.
    var deadline: Instant? {
        isStale ? nil : arrived + ResultTopics.longestPause + Self.delay
    }

    func isOverdue(at now: Instant) -> Bool { deadline.map { $0 <= now } ?? false }

    /// The members that hold at present: of a stale state, none.
    var shown: JSON { isStale ? .null : document }

    /// `stale since 14:03:07`, from the second that the numbers describe; `nil` at present.
    var staleness: String? {
        guard isStale else { return nil }
        guard case .integer(let at)? = document["at"] else { return "stale" }
        return "stale since \(LocalDay.clockTime(of: UnixTime(milliseconds: at)))"
    }
}

import Facts
import Logging
import Posix
import Primitives
import Queueing
import ResultStore

/// Folds the sites in short turns, and keeps their results until the store has the windows that they follow from.
///
/// Windows of hours may arrive at once. Between two turns, the loop serves browsers and the broker.
struct FoldingTurns {
    private let log: Log
    /// Results that wait for the commit of the windows that they follow from.
    var uncommitted = UncommittedResults()
    /// Whether a site has something to fold before the next second.
    private(set) var isBehind = false

    /// The time of a turn. One part of a site may exceed it.
    private static let turnTime = Duration.milliseconds(20)
    /// Younger windows stay in memory for the live results.
    private static let keptTime = Duration.seconds(60)
    /// The memory of waiting windows in each kind of fold of all sites, in bytes: a server with few sites keeps an hour of them,
    /// which then survive a damaged store.
    private static let waitingBytes = 8 << 20

    init(log: Log) { self.log = log }

    /// Folds a part of each site: a second has passed.
    ///
    /// - Parameter isPartial: whether the sites lack stored windows: what follows from the others is not stored.
    mutating func tick(_ state: ServerState, isPartial: Bool) {
        let wall = state.wall
        for site in state.sites where !uncommitted.isFull {
            fold(site, state, wall: wall, isPartial: isPartial)
        }
        isBehind = state.sites.contains(where: \.isBehind)
    }

    /// Folds further parts of the sites that are behind.
    mutating func turn(_ state: ServerState, isPartial: Bool) {
        let (wall, end) = (state.wall, Instant.now + Self.turnTime)
        for site in state.sites {
            while site.isBehind, !uncommitted.isFull, Instant.now < end {
                fold(site, state, wall: wall, isPartial: isPartial)
            }
        }
        // Full results wait for the commit of the next second, which the store may refuse.
        isBehind = !uncommitted.isFull && state.sites.contains(where: \.isBehind)
    }

    /// Gives up windows that wait behind a hole, where a site has more than its share of them: the store has them.
    func release(_ state: ServerState) {
        let limit = state.wall - Self.keptTime
        let share = Self.waitingBytes / max(1, state.sites.count)
        for site in state.sites { site.release(before: limit, ifAbove: share) }
    }

    /// Adds what must be stored, with what people have changed.
    mutating func add(to batch: inout StoreBatch, editsOf sites: [Site]) {
        for site in sites { uncommitted.add(site.takeEdits(), site: site.layout.site) }
        uncommitted.add(to: &batch)
    }

    private mutating func fold(
        _ site: Site, _ state: ServerState, wall: UnixTime, isPartial: Bool
    ) {
        let (name, certainty) = (site.layout.site, state.certainty)
        let isPartial = isPartial || certainty == .doubtful
        let results = site.advance(through: UnixSecond(containing: wall))
        if !isPartial {
            uncommitted.add(results, site: name)
            if certainty >= .probable { uncommitted.add(site.levelsOnce(), site: name) }
        }
        guard certainty >= .probable, site.isDayOver(at: wall, isPartial: isPartial) else {
            return
        }
        let (closing, isClosed) = site.closeDay(wall: wall)
        if !isPartial { uncommitted.add(closing, site: name) }
        if let span = site.takeLacking() {
            log.error(
                "stored windows can't be read: the day is closed without them",
                ["site": name, "start": span.lowerBound.milliseconds])
        }
        if isClosed { log.info("day closed", ["site": name, "next": site.today.day.name]) }
    }
}

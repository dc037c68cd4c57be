import Logging
import Posix
import Primitives
import ResultStore

/// Brings a site to where it was, in short steps: it folds the windows of the running day again.
///
/// A day that has ended meanwhile is closed later, since the broker may still have windows of it.
struct DayRecovery {
    let site: Site
    private let store: any ResultStore
    private let log: Log
    /// Windows that start before are taken.
    private var taken: UnixTime
    /// Published results of before are taken.
    private var restored: UnixTime
    /// Whether the windows that are taken are folded.
    private var isFolded = true
    private var isRead = false
    private var windows = 0
    private var damaged = 0

    /// The most windows of a step, and the longest time of one: a step takes some hundredths of a second.
    private static let windowsPerStep = 400
    private static let longestStep = Duration.seconds(3600)
    /// Results that a step can compute end before the step's windows, and this.
    private static let lead = Duration.seconds(3600)
    /// The windows in each fold that wait behind a hole, in bytes.
    private static let waitingBytes = 100_000

    init(_ site: Site, store: any ResultStore, log: Log) {
        self.site = site
        self.store = store
        self.log = log
        taken = site.today.day.span.lowerBound
        restored = taken
    }

    /// The folded part of the time until `wall`, from 0 to 1.
    func progress(wall: UnixTime) -> Double {
        let start = site.today.day.span.lowerBound
        return min(1, (taken - start) / max(.milliseconds(1), wall - start))
    }

    /// Folds the next part of the day.
    ///
    /// - Parameter certainty: of the time. Before a probable one, the stored day goes on.
    /// - Returns: the results that no earlier run has stored, and whether the site is where it was.
    mutating func step(
        wall: UnixTime, _ certainty: TimeCertainty = .certain
    ) -> (results: Site.Results, isDone: Bool) {
        let end = end(wall, certainty)
        do throws(StoreFailure) {
            if windows == 0 {
                try restoreVisits()
                try site.restoreEditedRegions()
                try site.restoreRegions(wall: wall)
                try site.restoreInventory(from: store, wall: wall)
                try site.restoreLabels()
                try takeReceipts(before: end)
            }
            if isFolded, taken < end, !site.today.isNextFull {
                try take(
                    before: try store.end(
                        of: Self.windowsPerStep, of: name, in: taken..<stepEnd(before: end)))
                try restore(before: min(end, taken + Self.lead))
            }
            let results: Site.Results
            (results, isFolded) = try site.fold(before: taken)
            site.release(before: taken, ifAbove: Self.waitingBytes)
            guard isFolded, taken >= end || site.today.isNextFull else { return (results, false) }
            if !isRead { report() }
            return closed(results, wall: certainty >= .probable ? wall : nil)
        } catch {
            log.error(
                "the day can't be read from the store: it begins again",
                ["site": name, "reason": error])
            // A damaged store is replaced: its day goes on.
            site.beginAgain(wall: store.isReadable ? wall : site.today.day.span.lowerBound)
            return (Site.Results(), true)
        }
    }

    private var name: String { site.layout.site }

    /// Windows of later days may be stored already, if they came before the day was closed. Windows of the future are there only
    /// if the time was wrong when they came.
    private func end(_ wall: UnixTime, _ certainty: TimeCertainty) -> UnixTime {
        let day = site.today.day.span
        return certainty == .unconfirmed
            ? max(wall, day.upperBound) + DayClosing.delivery * 2
            : max(wall + ServerClock.mostAhead, day.lowerBound)
    }

    /// Windows of later days only wait: they take no time to fold.
    private func stepEnd(before end: UnixTime) -> UnixTime {
        taken < site.today.day.span.upperBound ? min(end, taken + Self.longestStep) : end
    }

    private mutating func take(before time: UnixTime) throws(StoreFailure) {
        damaged += try store.facts(of: name, in: taken..<time) { gateway, fact in
            windows += 1
            _ = site.take(fact, from: gateway)
        }
        taken = time
    }

    /// Takes the minutes that an earlier run has published.
    private mutating func restore(before time: UnixTime) throws(StoreFailure) {
        guard restored < time else { return }
        let span = restored..<time
        for queue in site.layout.queues {
            for minute in try store.minutes(of: queue.name, at: name, in: span) {
                site.restore(minute, of: queue.name)
            }
        }
        restored = time
    }

    /// Takes the number of visits that an earlier run has published.
    private func restoreVisits() throws(StoreFailure) {
        let day = site.today.day.span.lowerBound
        for queue in site.layout.queues {
            if let visits = try store.visitCount(of: queue.name, at: name, day: day) {
                site.restore(visits)
            }
        }
    }

    /// Takes the tills' own counts; those that are known already change nothing.
    private func takeReceipts(before end: UnixTime) throws(StoreFailure) {
        for queue in site.layout.queues {
            for receipt in try store.receipts(of: queue.name, at: name, in: taken..<end) {
                _ = site.take(receipt, queue: queue.name)
            }
        }
    }

    private mutating func report() {
        isRead = true
        log.info("day read from the store", ["site": name, "windows": windows])
        if damaged > 0 {
            log.error("stored windows are damaged", ["site": name, "count": damaged])
        }
    }

    /// Goes on with the present day.
    private mutating func closed(
        _ results: Site.Results, wall: UnixTime?
    ) -> (results: Site.Results, isDone: Bool) {
        guard let wall else { return (results, true) }
        guard site.isDayOver(at: wall) else {
            // A day without levels in the store began with the ones of an empty store.
            return (results + site.levelsOnce(), true)
        }
        let (closing, isClosed) = site.closeDay(wall: wall)
        if isClosed { self = DayRecovery(site, store: store, log: log) }
        return (results + closing, false)
    }
}

/// The sites that fold their stored windows again, one after the other.
struct Recoveries {
    private let store: any ResultStore
    private var rest: ArraySlice<DayRecovery>
    private let count: Int
    /// Whether the store could not be read: the sites go on without the windows before, and fold them as soon as it can.
    private(set) var isPartial: Bool

    /// - Parameter isPartial: whether other sites wait for their stored windows already.
    init(_ sites: [DayRecovery], store: any ResultStore, isPartial: Bool = false) {
        self.store = store
        self.isPartial = isPartial
        rest = sites[...]
        count = sites.count
    }

    var isDone: Bool { rest.isEmpty }

    /// The part that is done; `nil` after the end.
    func percent(wall: UnixTime) -> Int? {
        guard let first = rest.first else { return nil }
        let left = Double(rest.count) - first.progress(wall: wall)
        return min(max(Int(100 * (1 - left / Double(count))), 0), 99)
    }

    /// Folds a part of a site's stored day, of a store whose rows are all found.
    ///
    /// - Returns: results that no earlier run has stored.
    mutating func step(
        wall: UnixTime, _ certainty: TimeCertainty, at now: Instant
    ) -> (results: Site.Results, site: String) {
        let first = rest.startIndex
        let name = rest[first].site.layout.site
        guard store.isDayChecked else {
            store.checkNext(at: now)
            return (Site.Results(), name)
        }
        let (results, isDone) = rest[first].step(wall: wall, certainty)
        if isDone {
            rest.removeFirst()
            isPartial = isPartial || !store.isReadable
        }
        return (isPartial || certainty == .doubtful ? Site.Results() : results, name)
    }
}

/// The final results of the day that an earlier run of the server has stored, and then published.
///
/// After a restart, the estimator computes them again. Readers of the topics must not count them twice.
struct EarlierResults {
    /// The starts of minutes, by queue.
    private var minutes: [String: Set<UnixTime>] = [:]
    private var visits: [String: Visits] = [:]

    /// The visits of a queue that an earlier run has published.
    enum Visits {
        /// The first ones: the same layout and program find the same visits, in the same order.
        case first(Int)
        /// Those that followed from the windows in the store. Another layout, or program, found them: their number says nothing.
        case ofStoredWindows
    }

    mutating func add(minute start: UnixTime, of queue: String) {
        minutes[queue, default: []].insert(start)
    }

    mutating func add(_ visits: Visits, of queue: String) { self.visits[queue] = visits }

    /// - Returns: whether an earlier run has published this minute.
    mutating func take(minute start: UnixTime, of queue: String) -> Bool {
        minutes[queue]?.remove(start) != nil
    }

    /// - Parameters:
    ///   - number: the visit's number on this day, from 1.
    ///   - isStored: whether it follows from windows in the store.
    /// - Returns: whether an earlier run has published this visit.
    func has(visit number: Int, of queue: String, isStored: Bool) -> Bool {
        switch visits[queue] {
        case .first(let count): number <= count
        case .ofStoredWindows: isStored
        case nil: false
        }
    }
}

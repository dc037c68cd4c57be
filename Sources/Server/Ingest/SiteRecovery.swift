import Logging
import Posix
import Primitives
import ResultStore

/// Brings a site to where it was, in short steps: it folds the windows of the running day again.
///
/// A day that has ended meanwhile is closed later, since the broker may still have windows of it.
struct SiteRecovery {
    let site: SiteService
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

    init(_ site: SiteService, store: any ResultStore, log: Log) {
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
    ) -> (results: SiteService.Results, isDone: Bool) {
        let end = end(wall, certainty)
        do throws(StoreFailure) {
            if windows == 0 {
                try restoreVisits()
                try takeReceipts(before: end)
            }
            if isFolded, taken < end, !site.today.isNextFull {
                try take(
                    before: try store.end(
                        of: Self.windowsPerStep, of: name, in: taken..<stepEnd(before: end)))
                try restore(before: min(end, taken + Self.lead))
            }
            let results: SiteService.Results
            (results, isFolded) = site.fold(before: taken)
            guard isFolded, taken >= end || site.today.isNextFull else { return (results, false) }
            if !isRead { report() }
            return closed(results, wall: certainty >= .probable ? wall : nil)
        } catch {
            log.error(
                "the day can't be read from the store: it begins again",
                ["site": name, "reason": error])
            // A damaged store is replaced: its day goes on.
            site.beginAgain(wall: store.isReadable ? wall : site.today.day.span.lowerBound)
            return (SiteService.Results(), true)
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
        _ results: SiteService.Results, wall: UnixTime?
    ) -> (results: SiteService.Results, isDone: Bool) {
        guard let wall else { return (results, true) }
        guard site.isDayOver(at: wall) else {
            // A day without levels in the store began with the ones of an empty store.
            return (results + site.levelsOnce(), true)
        }
        let (closing, isClosed) = site.closeDay(wall: wall)
        if isClosed { self = SiteRecovery(site, store: store, log: log) }
        return (results + closing, false)
    }
}

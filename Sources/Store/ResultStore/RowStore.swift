import Facts
import Primitives
import Queueing
import SQL

/// A store that keeps the rows of the declared tables in a database: what engines read in the same way.
package protocol RowStore: ResultStore {
    associatedtype Rows: StoreRows

    /// What the database has not taken.
    var pending: StoreBatch { get }

    /// Reads from the database; `nil` if it is not open.
    func read<Result>(
        _ work: (Rows) throws(Rows.Connection.Failure) -> Result
    ) throws(StoreFailure) -> Result?

    func noteDamage(_ found: StoreFailure)
}

extension RowStore {
    /// Reads the windows of a site that start in `range`, in canonical order, one after the other. While the disk fails, also
    /// those that it has not taken.
    ///
    /// - Returns: the damaged rows, which were left out. The next commit then replaces the file.
    package func facts(
        of site: String, in range: Range<UnixTime>, limit: Int,
        visit: (String, WindowFact) -> Void
    ) throws(StoreFailure) -> Int {
        var found = pending.facts(of: site, in: range)
        let isWhole = found.isEmpty
        let damaged =
            try read { rows throws(Rows.Connection.Failure) in
                try rows.facts(of: site, in: range, limit: limit) {
                    if isWhole { visit($0, $1) } else { found.append(($0, $1)) }
                }
            } ?? 0
        found.sort { ($0.1, $0.0) < ($1.1, $1.0) }
        for (gateway, fact) in found.prefix(limit) { visit(gateway, fact) }
        if damaged > 0 {
            noteDamage(StoreFailure(.corrupt, "\(damaged) stored windows are damaged"))
        }
        return damaged
    }

    /// Whether there is a window of a gateway, also if the disk has not taken it.
    package func has(
        _ window: WindowFact, of gateway: String, at site: String
    ) throws(StoreFailure) -> Bool {
        if pending.has(window, of: gateway, at: site) { return true }
        return try read { rows throws(Rows.Connection.Failure) in
            try rows.has(window, of: gateway, at: site)
        } ?? false
    }

    /// The number of a gateway's windows that start in `range`, also those that the disk has not taken: about `limit` at most.
    package func count(
        of gateway: String, at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(StoreFailure) -> Int {
        let stored = try read { rows throws(Rows.Connection.Failure) in
            try rows.count(of: gateway, at: site, in: range, limit: limit)
        }
        return pending.count(of: gateway, at: site, in: range) + (stored ?? 0)
    }

    /// The end of a part of `range`, in which about `count` windows of a site start.
    package func end(
        of count: Int, of site: String, in range: Range<UnixTime>
    ) throws(StoreFailure) -> UnixTime {
        let kept = pending.starts(of: site, in: range).sorted().dropFirst(count).first
        let stored = try read { rows throws(Rows.Connection.Failure) in
            try rows.start(after: count, of: site, in: range)
        }
        // Windows with the same start belong together.
        return max(
            min(kept ?? range.upperBound, stored ?? range.upperBound),
            range.lowerBound + .milliseconds(1))
    }

    /// The minutes of a queue that start in `range`.
    package func minutes(
        of queue: String, at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(StoreFailure) -> [StoredMinute] {
        try read { rows throws(Rows.Connection.Failure) in
            try rows.minutes(of: queue, at: site, in: range, limit: limit)
        } ?? []
    }

    /// The hours or days of a queue that start in `range`.
    package func periods(
        _ step: HistoryStep, of queue: String, at site: String, in range: Range<UnixTime>,
        limit: Int
    ) throws(StoreFailure) -> [StoredPeriod] {
        try read { rows throws(Rows.Connection.Failure) in
            try rows.periods(step, of: queue, at: site, in: range, limit: limit)
        } ?? []
    }

    /// The published JSON of the visits that ended in `range`, in the order of their ends.
    package func visits(
        of queue: String, at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(StoreFailure) -> [[UInt8]] {
        try read { rows throws(Rows.Connection.Failure) in
            try rows.visits(of: queue, at: site, in: range, limit: limit)
        } ?? []
    }

    /// The events of a region, or of all regions of a site, that were decided in `range`, in their order: the newest
    /// ones, at most `limit`.
    package func regionEvents(
        of region: String?, at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(StoreFailure) -> [StoreBatch.RegionEvent] {
        try read { rows throws(Rows.Connection.Failure) in
            try rows.regionEvents(of: region, at: site, in: range, limit: limit)
        } ?? []
    }

    package func beaconEvents(
        at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(StoreFailure) -> [StoreBatch.BeaconEvent] {
        try read { rows throws(Rows.Connection.Failure) in
            try rows.beaconEvents(at: site, in: range, limit: limit)
        } ?? []
    }

    package func beaconHours(
        at site: String, in range: Range<UnixTime>
    ) throws(StoreFailure) -> [StoreBatch.BeaconHour] {
        try read { rows throws(Rows.Connection.Failure) in
            try rows.beaconHours(at: site, in: range)
        } ?? []
    }

    package func placeLabels(
        at site: String, newest limit: Int
    ) throws(StoreFailure) -> [StoreBatch.PlaceLabel] {
        let kept = pending.placeLabels.filter { $0.site == site }
        let stored = try read { rows throws(Rows.Connection.Failure) in
            try rows.placeLabels(at: site, newest: limit)
        }
        let removed = kept.filter(\.isRemoval)
        return ((stored ?? []) + kept).filter { label in
            !removed.contains { $0.beacon == label.beacon && $0.start == label.start }
        }
    }

    package func regionChanges(
        at site: String, newest limit: Int
    ) throws(StoreFailure) -> [StoreBatch.RegionChange] {
        let kept = pending.regionChanges.filter { $0.site == site }
        let stored = try read { rows throws(Rows.Connection.Failure) in
            try rows.regionChanges(at: site, newest: limit)
        }
        return (stored ?? []) + kept
    }

    /// How many visits of a queue were published on a day; `nil` before the first one.
    package func visitCount(
        of queue: String, at site: String, day: UnixTime
    ) throws(StoreFailure) -> StoreBatch.VisitCount? {
        if let kept = pending.visitCount(of: queue, at: site, day: day) { return kept }
        return try read { rows throws(Rows.Connection.Failure) in
            try rows.visitCount(of: queue, at: site, day: day)
        } ?? nil
    }

    /// The tills' own counts of a queue with times in `range`, also those that the disk has not taken.
    package func receipts(
        of queue: String, at site: String, in range: Range<UnixTime>
    ) throws(StoreFailure) -> [Receipt] {
        let kept = pending.receipts(of: queue, at: site, in: range)
        return try read { rows throws(Rows.Connection.Failure) in
            try rows.receipts(of: queue, at: site, in: range) + kept
        } ?? kept
    }

    /// The levels at the beginning of the last day that begins at `time` or before it.
    package func levels(
        of site: String, at time: UnixTime
    ) throws(StoreFailure) -> (day: UnixTime, levels: [UInt8])? {
        try read { rows throws(Rows.Connection.Failure) in try rows.levels(of: site, at: time) }
            ?? nil
    }

    /// Messages by gateway and outcome, since the file began.
    package func counts() throws(StoreFailure) -> [StoreBatch.Counter: Int64] {
        try read { rows throws(Rows.Connection.Failure) in try rows.counts() } ?? [:]
    }
}

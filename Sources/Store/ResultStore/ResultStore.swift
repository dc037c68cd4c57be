import Facts
import Primitives
import Queueing

/// The server's memory: the facts that gateways have sent, and the results that follow from them.
///
/// The owner acknowledges no message of a batch that `commit` has refused. While a disk fails, the
/// store goes on from memory, and `state` has the reason. Ranges are of times in milliseconds since
/// the epoch, and do not contain their end.
package protocol ResultStore: AnyObject {
    var retention: StoreRetention { get set }

    // MARK: Its condition

    var state: StoreState { get }
    /// Whether rows can be read.
    var isOpen: Bool { get }
    /// Whether rows can be read, and no damage is known that the next commit repairs.
    var isReadable: Bool { get }
    /// Whether the rows are checked from which the running day is computed; or can't be.
    var isDayChecked: Bool { get }
    /// Whether all rows were checked once.
    var isChecked: Bool { get }

    /// The events since the last call.
    func takeEvents() -> [StoreEvent]

    // MARK: Its care

    /// Tries to store what was kept, if it is time for an attempt. The owner calls it every second.
    ///
    /// - Returns: whether nothing is left in memory.
    func retry(at now: Instant) -> Bool

    /// Checks some rows, and replaces what is damaged. The owner calls it until the day is checked
    /// before it reads the day, and later once a second.
    func checkNext(at now: Instant)

    /// Removes some of the rows that are too old. The owner calls it about once a minute, and again
    /// soon while it returns true.
    ///
    /// - Parameter day: the start of the running day: its facts stay.
    func expire(at now: Instant, wall: UnixTime, day: UnixTime) -> Bool

    /// Erases a part of what was set aside and is too old. The owner calls it like `expire`, also while the disk fails.
    func eraseSetAside(wall: UnixTime, day: UnixTime) -> SetAsideErasure

    /// Lets no trace of removed rows stay on the disk.
    ///
    /// - Returns: whether this was possible; another process may be reading, or the database keeps traces in its log.
    @discardableResult
    func forget() -> Bool

    func close()

    // MARK: Rows

    /// Stores what was kept before, then what one turn has brought. Each batch is stored wholly or
    /// not at all. The same facts, minutes and visits again change nothing.
    func commit(_ batch: StoreBatch, at now: Instant) -> StoreOutcome

    /// Reads the windows of a site that start in `range`, in canonical order, one after the other;
    /// also those that a failing disk has not taken.
    ///
    /// - Returns: the damaged rows, which were left out.
    func facts(
        of site: String, in range: Range<UnixTime>, limit: Int,
        visit: (_ gateway: String, WindowFact) -> Void
    ) throws(StoreFailure) -> Int

    /// Whether there is a window of a gateway, also if the disk has not taken it.
    func has(
        _ window: WindowFact, of gateway: String, at site: String
    ) throws(StoreFailure) -> Bool

    /// The number of a gateway's windows that start in `range`, also those that the disk has not
    /// taken: about `limit` at most.
    func count(
        of gateway: String, at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(StoreFailure) -> Int

    /// The end of a part of `range`, in which about `count` windows of a site start.
    func end(
        of count: Int, of site: String, in range: Range<UnixTime>
    ) throws(StoreFailure) -> UnixTime

    /// The tills' own counts of a queue with times in `range`, also those that the disk has not taken.
    func receipts(
        of queue: String, at site: String, in range: Range<UnixTime>
    ) throws(StoreFailure) -> [Receipt]

    /// The minutes of a queue that start in `range`.
    func minutes(
        of queue: String, at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(StoreFailure) -> [StoredMinute]

    /// The hours or days of a queue that start in `range`.
    func periods(
        _ step: HistoryStep, of queue: String, at site: String, in range: Range<UnixTime>,
        limit: Int
    ) throws(StoreFailure) -> [StoredPeriod]

    /// The published JSON of the visits that ended in `range`, in the order of their ends.
    func visits(
        of queue: String, at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(StoreFailure) -> [[UInt8]]

    /// The events of a region, or of all regions of a site, that were decided in `range`, in their order: the newest
    /// ones, at most `limit`.
    func regionEvents(
        of region: String?, at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(StoreFailure) -> [StoreBatch.RegionEvent]

    /// The events of the network of beacons that were decided in `range`, in their order: the
    /// newest ones, at most `limit`.
    func beaconEvents(
        at site: String, in range: Range<UnixTime>, limit: Int
    ) throws(StoreFailure) -> [StoreBatch.BeaconEvent]

    /// What the hours have taught about the network of beacons that start in `range`, in their order.
    func beaconHours(
        at site: String, in range: Range<UnixTime>
    ) throws(StoreFailure) -> [StoreBatch.BeaconHour]

    /// The newest labels of a site, in the order of time.
    func placeLabels(
        at site: String, newest limit: Int
    ) throws(StoreFailure) -> [StoreBatch.PlaceLabel]

    /// The newest changes of the regions of a site, in the order of time.
    func regionChanges(
        at site: String, newest limit: Int
    ) throws(StoreFailure) -> [StoreBatch.RegionChange]

    /// How many visits of a queue were published on a day; `nil` before the first one.
    func visitCount(
        of queue: String, at site: String, day: UnixTime
    ) throws(StoreFailure) -> StoreBatch.VisitCount?

    /// The levels at the beginning of the last day that begins at `time` or before it.
    func levels(
        of site: String, at time: UnixTime
    ) throws(StoreFailure) -> (day: UnixTime, levels: [UInt8])?

    /// Messages by gateway and outcome, since the store began.
    func counts() throws(StoreFailure) -> [StoreBatch.Counter: Int64]
}

extension ResultStore {
    package func facts(
        of site: String, in range: Range<UnixTime>,
        visit: (_ gateway: String, WindowFact) -> Void
    ) throws(StoreFailure) -> Int {
        try facts(of: site, in: range, limit: .max, visit: visit)
    }

    package func minutes(
        of queue: String, at site: String, in range: Range<UnixTime>
    ) throws(StoreFailure) -> [StoredMinute] {
        try minutes(of: queue, at: site, in: range, limit: .max)
    }

    package func periods(
        _ step: HistoryStep, of queue: String, at site: String, in range: Range<UnixTime>
    ) throws(StoreFailure) -> [StoredPeriod] {
        try periods(step, of: queue, at: site, in: range, limit: .max)
    }

    package func visits(
        of queue: String, at site: String, in range: Range<UnixTime>
    ) throws(StoreFailure) -> [[UInt8]] {
        try visits(of: queue, at: site, in: range, limit: .max)
    }
}

/// What became of a batch.
package enum StoreOutcome: Equatable, Sendable {
    /// It is on the disk, and so are all batches before it.
    case durable
    /// It survives a kill, and a later commit stores it.
    case kept
    /// A kill would lose it: the owner asks the broker again for its messages.
    case refused
}

/// What an erasure of old files has done.
package struct SetAsideErasure: Equatable, Sendable {
    /// Paths.
    package var erased: [String] = []
    /// Sentences about files that can't be erased.
    package var faults: [String] = []
    package var isMore = false

    package init() {}
}

/// What keeps the server's rows: it opens its store, and reads one beside a running server.
package protocol StoreEngine: Sendable {
    /// Why it can't be used, in one sentence; `nil` if it can.
    var fault: String? { get }

    /// Where the store of a state directory is: the path of its file, or its database.
    func place(in folder: String) -> String

    /// Whether rows can be expected there.
    func exists(at place: String) -> Bool

    /// - Parameters:
    ///   - place: a missing folder of a file is created.
    ///   - journal: a file for uncommitted batches, on another file system; `nil` if there is none.
    ///   - merge: merges the sums of periods; the store does not read them.
    func open(
        _ place: String, journal: String?, retention: StoreRetention, at now: Instant,
        merge: @escaping SummaryMerge
    ) -> any ResultStore

    func inventory(of place: String) throws(StoreFailure) -> StoreInventory

    /// Visits the values of each row as bytes: numbers as the file has them, text in UTF-8.
    func rows(
        of place: String, visit: (_ table: String, _ row: Int64, _ values: [[UInt8]]) -> Void
    ) throws(StoreFailure)
}

/// Merges the mergeable sums of some periods into those of one.
package typealias SummaryMerge = @Sendable ([[UInt8]]) -> [UInt8]

/// Something about the store that the owner logs.
package enum StoreEvent: Equatable, Sendable {
    /// Commits fail. The server goes on from memory.
    case unavailable(reason: String)
    /// Everything is on the disk again.
    case available
    /// The file was damaged. It was renamed, and `rows` readable rows are in the new file.
    case replaced(aside: String, reason: String, rows: Int)
    /// Another program has removed the open file. The store writes its rows to a new one, or begins an empty one.
    case removed(path: String, isRestored: Bool)
    /// Another program has removed the log of the open file. The file has its rows, and a new log begins.
    case logRemoved(path: String)
    /// Another program has truncated the index of the open file's log. SQLite builds it again.
    case indexTruncated(path: String)
}

import Facts
import Posix
import Primitives
import Queueing
import SQL

/// A row of a batch as a row of its table.
package protocol StoredRow {
    static var table: StoreTable { get }

    /// - Parameter row: the values of `StoreTable.contents`.
    static func read(_ row: inout StoredValues) -> Self

    /// The values of the table's columns, in their order.
    func values<C: SQLConnection>(in names: StoreNames<C>) throws(C.Failure) -> [SQLValue]
}

/// The values of a row, one after the other.
package struct StoredValues {
    private let row: any SQLRow
    private var next: CInt = 0

    package init(_ row: any SQLRow) { self.row = row }

    package mutating func integer() -> Int64 { row.integer(column()) }
    package mutating func time() -> UnixTime { row.time(column()) }
    package mutating func text() -> String { row.text(column()) }
    package mutating func bytes() -> [UInt8] { row.bytes(column()) }

    private mutating func column() -> CInt {
        defer { next += 1 }
        return next
    }
}

extension StoreBatch.Fact: StoredRow {
    package static var table: StoreTable { .facts }

    package static func read(_ row: inout StoredValues) -> Self {
        Self(
            site: row.text(), start: row.time(), gateway: row.text(), session: row.text(),
            number: UInt64(bitPattern: row.integer()), body: row.bytes())
    }

    package func values<C: SQLConnection>(
        in names: StoreNames<C>
    ) throws(C.Failure) -> [SQLValue] {
        let site = try names.site(site)
        return [
            .integer(site), .time(start), .integer(try names.source(of: self, site)),
            .integer(Int64(bitPattern: number)), .bytes(body),
        ]
    }
}

extension StoreBatch.TillReceipt: StoredRow {
    package static var table: StoreTable { .receipts }

    package static func read(_ row: inout StoredValues) -> Self {
        let (site, queue, at) = (row.text(), row.text(), row.time())
        return Self(
            site: site, queue: queue,
            receipt: Receipt(
                till: row.text(), count: row.integer(), at: UnixSecond(containing: at)))
    }

    package func values<C: SQLConnection>(
        in names: StoreNames<C>
    ) throws(C.Failure) -> [SQLValue] {
        [
            .integer(try names.queue(queue, site)), .time(receipt.time), .text(receipt.till),
            .integer(receipt.count),
        ]
    }
}

extension StoreBatch.Minute: StoredRow {
    package static var table: StoreTable { .minutes }

    package static func read(_ row: inout StoredValues) -> Self {
        let (site, queue, start, end) = (row.text(), row.text(), row.time(), row.time())
        let (rev, isFinal) = (Int(row.integer()), row.integer() != 0)
        let mark = row.bytes()
        return Self(
            site: site, queue: queue, start: start, end: end,
            day: LocalDay(containing: start).span, rev: rev, isFinal: isFinal,
            document: row.bytes(), mark: mark, summary: row.bytes())
    }

    package func values<C: SQLConnection>(
        in names: StoreNames<C>
    ) throws(C.Failure) -> [SQLValue] {
        [
            .integer(try names.queue(queue, site)), .time(start), .time(end),
            .integer(Int64(rev)), .integer(isFinal ? 1 : 0), .bytes(mark), .bytes(document),
            .bytes(summary),
        ]
    }
}

extension StoreBatch.Visit: StoredRow {
    package static var table: StoreTable { .visits }

    package static func read(_ row: inout StoredValues) -> Self {
        Self(
            site: row.text(), queue: row.text(), entered: row.time(), left: row.time(),
            tag: Tag(rawValue: UInt64(bitPattern: row.integer())), document: row.bytes())
    }

    package func values<C: SQLConnection>(
        in names: StoreNames<C>
    ) throws(C.Failure) -> [SQLValue] {
        [
            .integer(try names.queue(queue, site)), .time(entered), .time(left),
            .integer(Int64(bitPattern: tag?.rawValue ?? 0)), .bytes(document),
        ]
    }
}

extension StoreBatch.RegionEvent: StoredRow {
    package static var table: StoreTable { .regionEvents }

    package static func read(_ row: inout StoredValues) -> Self {
        Self(
            site: row.text(), region: row.text(), decided: row.time(),
            tag: Tag(rawValue: UInt64(bitPattern: row.integer())), id: row.text(),
            document: row.bytes())
    }

    package func values<C: SQLConnection>(
        in names: StoreNames<C>
    ) throws(C.Failure) -> [SQLValue] {
        [
            .integer(try names.site(site)), .text(region), .time(decided),
            .integer(Int64(bitPattern: tag.rawValue)), .text(id), .bytes(document),
        ]
    }
}

extension StoreBatch.BeaconEvent: StoredRow {
    package static var table: StoreTable { .beaconEvents }

    package static func read(_ row: inout StoredValues) -> Self {
        Self(
            site: row.text(), decided: row.time(), beacon: row.text(), id: row.text(),
            document: row.bytes())
    }

    package func values<C: SQLConnection>(
        in names: StoreNames<C>
    ) throws(C.Failure) -> [SQLValue] {
        [
            .integer(try names.site(site)), .time(decided), .text(beacon), .text(id),
            .bytes(document),
        ]
    }
}

extension StoreBatch.BeaconHour: StoredRow {
    package static var table: StoreTable { .beaconHours }

    package static func read(_ row: inout StoredValues) -> Self {
        let (site, start) = (row.text(), row.time())
        _ = row.text()
        return Self(site: site, start: start, body: row.bytes())
    }

    package func values<C: SQLConnection>(
        in names: StoreNames<C>
    ) throws(C.Failure) -> [SQLValue] {
        [.integer(try names.site(site)), .time(start), .text("hour"), .bytes(body)]
    }
}

extension StoreBatch.PlaceLabel: StoredRow {
    package static var table: StoreTable { .placeLabels }

    package static func read(_ row: inout StoredValues) -> Self {
        Self(site: row.text(), beacon: row.text(), start: row.time(), document: row.bytes())
    }

    package func values<C: SQLConnection>(
        in names: StoreNames<C>
    ) throws(C.Failure) -> [SQLValue] {
        [.integer(try names.site(site)), .text(beacon), .time(start), .bytes(document)]
    }
}

extension StoreBatch.RegionChange: StoredRow {
    package static var table: StoreTable { .regionChanges }

    package static func read(_ row: inout StoredValues) -> Self {
        Self(
            site: row.text(), at: row.time(), region: row.text(), client: row.text(),
            document: row.bytes())
    }

    package func values<C: SQLConnection>(
        in names: StoreNames<C>
    ) throws(C.Failure) -> [SQLValue] {
        [
            .integer(try names.site(site)), .time(at), .text(region), .text(client),
            .bytes(document),
        ]
    }
}

extension StoreBatch.Levels: StoredRow {
    package static var table: StoreTable { .siteDays }

    package static func read(_ row: inout StoredValues) -> Self {
        Self(site: row.text(), day: row.time(), levels: row.bytes())
    }

    package func values<C: SQLConnection>(
        in names: StoreNames<C>
    ) throws(C.Failure) -> [SQLValue] {
        [.integer(try names.site(site)), .time(day), .bytes(levels)]
    }
}

extension StoreBatch.VisitCount: StoredRow {
    package static var table: StoreTable { .visitCounts }

    package static func read(_ row: inout StoredValues) -> Self {
        Self(
            site: row.text(), queue: row.text(), day: row.time(), count: Int(row.integer()),
            method: row.text())
    }

    package func values<C: SQLConnection>(
        in names: StoreNames<C>
    ) throws(C.Failure) -> [SQLValue] {
        [
            .integer(try names.queue(queue, site)), .time(day), .integer(Int64(count)),
            .text(method),
        ]
    }
}

/// A counter with its number of messages.
package struct StoredCount: StoredRow {
    package static var table: StoreTable { .counters }

    let counter: StoreBatch.Counter
    let count: Int64

    package static func read(_ row: inout StoredValues) -> Self {
        Self(
            counter: StoreBatch.Counter(site: row.text(), gateway: row.text(), outcome: row.text()),
            count: row.integer())
    }

    package func values<C: SQLConnection>(
        in names: StoreNames<C>
    ) throws(C.Failure) -> [SQLValue] {
        [
            .integer(try names.site(counter.site)), .text(counter.gateway),
            .text(counter.outcome), .integer(count),
        ]
    }
}

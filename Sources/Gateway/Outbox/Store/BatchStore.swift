import Sightings

/// Keeps encoded batches in rows, in the order of their arrival.
///
/// All changes between `begin` and `commit` happen together or not at all. After an error the owner calls `rollback`.
package protocol Store: AnyObject {
    /// The number of rows.
    var count: Int { get }
    /// The size of the rows (`BatchHeader.cost`).
    var bytes: Int { get }
    /// The batches of the rows up to this one may have been sent.
    var claimed: Int64 { get }

    func begin() throws(StoreFailure)
    func commit() throws(StoreFailure)
    func rollback()
    func close()

    /// Adds a row behind all others and returns its number. The number in `header` is ignored.
    func append(_ header: BatchHeader, _ body: [UInt8]) throws(StoreFailure) -> Int64
    /// The headers of the first rows behind row `id`.
    func headers(after id: Int64, limit: Int) throws(StoreFailure) -> [BatchHeader]
    /// The body of a row; `nil` if the row does not exist.
    func body(of id: Int64) throws(StoreFailure) -> [UInt8]?
    func replace(_ id: Int64, _ header: BatchHeader, _ body: [UInt8]) throws(StoreFailure)
    func remove(_ ids: [Int64]) throws(StoreFailure)
    func claim(upTo id: Int64) throws(StoreFailure)

    /// Losses by session that no message has declared yet.
    func losses() throws(StoreFailure) -> [String: Loss]
    func set(_ losses: [String: Loss]) throws(StoreFailure)

    /// Changes the size limit of the file, a last resort above the limit that `BoundedStore` keeps.
    func limit(to maxBytes: Int)
}

/// A place on a disk for a store.
package protocol Disk: Sendable {
    /// Opens the store; `nil` if there is none and `creating` is false.
    func open(creating: Bool) throws(StoreFailure) -> (any Store)?
    /// Changes the size limit of stores that are opened later.
    mutating func limit(to maxBytes: Int)
    /// Renames a corrupt store and returns its new path; `nil` if renaming fails.
    func setAside() -> String?
    /// Reads the rows of a store that was set aside, in order, as far as possible.
    ///
    /// - Parameter claimed: the last row that may have been sent, if it is known.
    /// - Returns: `nil` if the file cannot be opened.
    func scan(_ path: String, claimed: Int64?, visit: (RecoveredRow) -> Void) -> RecoveryScan?
    /// Removes the closed store.
    func remove()
}

/// A failed operation on a store.
package struct StoreFailure: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Cause: Sendable {
        /// The bytes of the store are not those that were written.
        case corrupt
        /// A fault that can pass: no space, no permission, no folder, an I/O error.
        case unavailable
    }

    package let cause: Cause
    package let description: String

    package init(_ cause: Cause, _ description: String) {
        self.cause = cause
        self.description = description
    }
}

/// A row of a corrupt store. Its header or its body has a right checksum.
package struct RecoveredRow {
    package let id: Int64
    let header: BatchHeader?
    let stored: StoredBatch?
    /// The batch may have been sent.
    let isFinal: Bool

    /// - Parameter claimed: the last row that may have been sent; `nil` if unknown.
    init?(id: Int64, header: BatchHeader?, stored: StoredBatch?, claimed: Int64?) {
        guard header != nil || stored != nil else { return nil }
        self.id = header?.id ?? id
        self.header = header
        self.stored = stored
        isFinal = header?.isFinal ?? true || self.id <= claimed ?? .max
    }
}

/// The facts about a corrupt store besides its rows.
package struct RecoveryScan {
    /// The number of rows that it had; `nil` if unknown.
    var count: Int?
    /// Losses that no message has declared yet.
    var losses: [String: Loss] = [:]
    /// Whether these are all losses.
    var knowsLosses = true
}

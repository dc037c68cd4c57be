import Sightings

/// Where parcels are kept as bytes, in the order in which they came.
///
/// What is done between `begin` and `commit` is done as a whole or not at all. After a failure the owner calls `rollback`,
/// which never fails, and believes nothing of what was done since `begin`.
package protocol Store: AnyObject {
    /// Rows kept.
    var count: Int { get }
    /// What they take, as `Row.cost` reckons.
    var bytes: Int { get }
    /// Rows up to this one have been claimed: they may have been handed out.
    var claimed: Int64 { get }

    func begin() throws(StoreFailure)
    func commit() throws(StoreFailure)
    func rollback()
    /// Lets go of it; nothing may be asked of it afterwards.
    func close()

    /// Puts a row behind all others.
    ///
    /// - Returns: its place.
    func append(_ row: Row, _ body: [UInt8]) throws(StoreFailure) -> Int64
    /// Rows behind `id`, in order.
    func rows(after id: Int64, limit: Int) throws(StoreFailure) -> [Row]
    /// A row's bytes; `nil` when there is no such row.
    func body(of id: Int64) throws(StoreFailure) -> [UInt8]?
    /// Puts another row in the place of one.
    func replace(_ id: Int64, _ row: Row, _ body: [UInt8]) throws(StoreFailure)
    func remove(_ ids: [Int64]) throws(StoreFailure)
    func claim(upTo id: Int64) throws(StoreFailure)

    /// Losses that no message declares yet, by session.
    func losses() throws(StoreFailure) -> [String: Loss]
    func set(_ losses: [String: Loss]) throws(StoreFailure)

    /// What it has may take so much, in bytes, and no less than it takes: a last resort, beyond what `Depot` sees to.
    func bound(to maxBytes: Int)
}

extension Store {
    package func bound(to maxBytes: Int) {}
}

extension Disk {
    package mutating func bound(to maxBytes: Int) {}
}

/// Why a store could not do what it was asked to.
package struct StoreFailure: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Cause: Sendable {
        /// What is there is not what was put there: it is of no use any more.
        case damaged
        /// It may pass: no room, no permission, no such folder, an error of the device.
        case unusable
    }

    package let cause: Cause
    /// In the words of whoever noticed.
    package let description: String

    package init(_ cause: Cause, _ description: String) {
        self.cause = cause
        self.description = description
    }
}

/// A place on a disk where a store can be.
package protocol Disk: Sendable {
    /// Opens the store; `nil` when there is none and none is to be made.
    func open(creating: Bool) throws(StoreFailure) -> (any Store)?
    /// Stores that are opened from now on may take so much, in bytes.
    mutating func bound(to maxBytes: Int)
    /// Takes what is damaged out of the way.
    ///
    /// - Returns: the new name of it; `nil` when it could not be moved.
    func setAside() -> String?
    /// Opens what was set aside; `nil` when nothing of it can be read.
    func wreck(at place: String) -> (any Wreck)?
    /// Removes the store, which nobody uses.
    func remove()
}

import Primitives

/// What keeps the server's rows: it opens its store, and reads one beside a running server.
package protocol StoreEngine: Sendable {
    /// The name of a store's file in the state directory.
    var fileName: String { get }

    /// - Parameters:
    ///   - path: the file; its folder is created if it is missing.
    ///   - journal: a file for uncommitted batches, on another file system; `nil` if there is none.
    ///   - merge: merges the sums of periods; the store does not read them.
    func open(
        _ path: String, journal: String?, retention: StoreRetention, at now: Instant,
        merge: @escaping SummaryMerge
    ) -> any ResultStore

    func inventory(of path: String) throws(StoreFailure) -> StoreInventory

    /// Visits the values of each row as bytes: numbers as the file has them, text in UTF-8.
    func rows(
        of path: String, visit: (_ table: String, _ row: Int64, _ values: [[UInt8]]) -> Void
    ) throws(StoreFailure)
}

/// Merges the mergeable sums of some periods into those of one.
package typealias SummaryMerge = @Sendable ([[UInt8]]) -> [UInt8]

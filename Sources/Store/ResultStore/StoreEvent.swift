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
}

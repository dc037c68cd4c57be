import Sightings

/// An event of the outbox for the log.
package enum OutboxEvent: Equatable, Sendable {
    /// An earlier session left undelivered batches.
    case foundBacklog(batches: Int)
    /// The disk does not work. Batches stay in memory.
    case storeUnavailable(reason: String)
    case storeAvailable
    /// The file is corrupt. `path` is its new path; `nil` if renaming failed.
    case storeCorrupt(path: String?, reason: String, RecoveryResult)
    /// A loss that no later message of its session can declare.
    case undeclaredLoss(session: String, Loss)
}

/// The result of replacing a corrupt store.
package struct RecoveryResult: Equatable, Sendable {
    /// The number of batches that it had; `nil` if unknown.
    package var batches: Int?
    /// The number of batches that were read.
    package var recovered = 0
    /// The number of sequence numbers that are lost and declared, by a message or an event.
    package var declaredLost: UInt64 = 0
    /// Whether all losses that were stored are known.
    package var knowsLosses = true
}

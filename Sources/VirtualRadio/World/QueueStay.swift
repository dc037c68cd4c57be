import Primitives

/// A visitor's time in a queue: the truth that an estimator looks for.
struct QueueStay: Equatable, Sendable {
    enum Outcome: String, Sendable {
        case served
        case gaveUp
        /// The line was too long, so the visitor never joined it.
        case turnedAway
    }

    /// The queue's index in the scenario.
    let queue: Int
    let outcome: Outcome
    /// When the visitor reached the queue's entry.
    let joined: Instant
    /// When the visitor left the line for the till, or for the exit.
    let called: Instant
    /// When the visitor left the till, or the line.
    let left: Instant
    /// The till's index in the queue; `nil` without service.
    let till: Int?
}

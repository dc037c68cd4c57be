import Primitives

/// Messages and subscriptions, but no batches, that the broker ends connections over. They are left out for a time, and then
/// sent alone.
struct WithheldItems {
    typealias Item = RefusedMessages.Item

    private var ends: [Item: Instant] = [:]

    /// The time until an item is tried alone, on the same connection.
    static let trialAfter = Duration.seconds(10)
    /// The time after an item ended a connection alone, or with a reason.
    static let pause = Duration.seconds(3600)

    /// When an item is tried again.
    var due: Instant? { ends.values.min() }

    func contains(_ item: Item) -> Bool { ends[item] != nil }

    /// The broker ends connections over the item.
    ///
    /// - Parameter isCertain: whether no other packet can be the cause.
    /// - Returns: the time until the next trial.
    mutating func add(_ item: Item, isCertain: Bool, at now: Instant) -> Duration {
        let time = isCertain ? Self.pause : Self.trialAfter
        ends[item] = now + time
        return time
    }

    /// An item to send now.
    mutating func takeDue(at now: Instant) -> Item? {
        guard let item = ends.first(where: { $0.value <= now })?.key else { return nil }
        ends[item] = nil
        return item
    }
}

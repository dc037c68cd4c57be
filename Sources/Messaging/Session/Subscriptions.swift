import MQTT

/// The subscriptions of a session, which each connection makes again, some at a time.
struct Subscriptions {
    enum Step: Equatable {
        /// The filters to subscribe to next; none while answers are outstanding.
        case subscribe([String])
        /// The broker has answered all of them.
        case complete
        /// The broker refused one that the session needs.
        case refused
    }

    private let filters: [String]
    /// The filters that a broker may refuse.
    private let dispensable: Set<String>
    /// Those of them that the broker ends connections over.
    private var omitted: Set<String> = []
    private var unsent: ArraySlice<String> = []
    private var unconfirmed = 0

    /// Each subscription makes the broker send retained messages. Brokers drop messages for a slow client (mosquitto:
    /// beyond 1,000).
    private static let mostAtOnce = 16

    init(_ filters: [String], dispensable: Set<String>) {
        self.filters = filters
        self.dispensable = dispensable
    }

    /// A connection begins.
    ///
    /// - Returns: the filters to subscribe to now.
    mutating func begin() -> [String] {
        unsent = filters.filter { !omitted.contains($0) }[...]
        unconfirmed = unsent.count
        return next(Self.mostAtOnce)
    }

    /// The broker ends connections over a filter.
    ///
    /// - Returns: whether the session can do without it.
    mutating func omit(_ filter: String) -> Bool {
        guard dispensable.contains(filter) else { return !filters.contains(filter) }
        omitted.insert(filter)
        return true
    }

    /// Takes the broker's answer to a subscription. One that is not in the list changes nothing.
    mutating func on(_ reason: ReasonCode, for filter: String) -> Step {
        guard filters.contains(filter) else { return .subscribe([]) }
        guard !reason.isFailure || dispensable.contains(filter) else { return .refused }
        unconfirmed -= 1
        return unconfirmed == 0 ? .complete : .subscribe(next(1))
    }

    private mutating func next(_ count: Int) -> [String] {
        defer { unsent = unsent.dropFirst(count) }
        return Array(unsent.prefix(count))
    }
}

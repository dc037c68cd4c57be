import MQTT

/// The subscriptions of a broker link, which each connection makes again, some at a time.
struct LinkSubscriptions {
    private let filters: [String]
    /// The filters that a broker may refuse.
    private let dispensable: Set<String>
    private var unsent: ArraySlice<String> = []
    private var unconfirmed = 0

    /// Each subscription makes the broker send retained messages. Brokers drop messages for a slow client (mosquitto:
    /// beyond 1,000).
    private static let mostAtOnce = 16

    init(_ filters: [String], dispensable: Set<String>) {
        self.filters = filters
        self.dispensable = dispensable
    }

    /// Whether the broker has confirmed all of them.
    var isComplete: Bool { unconfirmed == 0 }

    /// A connection begins.
    ///
    /// - Returns: the filters to subscribe to now.
    mutating func begin() -> [String] {
        unsent = filters[...]
        unconfirmed = filters.count
        return next(Self.mostAtOnce)
    }

    /// Takes the broker's answer to a subscription.
    ///
    /// - Returns: the filters to subscribe to next; `nil` if the answer is a refusal that ends the link.
    mutating func on(_ reason: ReasonCode, for filter: String) -> [String]? {
        guard !reason.isFailure || dispensable.contains(filter) else { return nil }
        unconfirmed -= 1
        return next(1)
    }

    private mutating func next(_ count: Int) -> [String] {
        defer { unsent = unsent.dropFirst(count) }
        return Array(unsent.prefix(count))
    }
}

import Primitives

/// The end of the retained messages after a subscription.
///
/// The broker sends them without a pause after its answer (MQTT 5.0 section 3.8.4), but does not mark the last one. A
/// pause is therefore the end. It is longer than a slow TCP round trip.
package struct RetainedBarrier {
    private enum Phase {
        /// The broker has not answered all subscriptions.
        case subscribing
        case receiving(since: Instant, last: Instant)
    }

    private var phase = Phase.subscribing
    private let quiet: Duration

    package static let quiet = Duration.milliseconds(300)
    /// The limit, because live messages arrive as well.
    package static let longest = Duration.seconds(5)

    /// - Parameter quiet: the pause that ends the messages.
    package init(quiet: Duration = Self.quiet) { self.quiet = quiet }

    /// The broker has answered all subscriptions.
    package mutating func subscribed(at now: Instant) { phase = .receiving(since: now, last: now) }

    /// A retained message has arrived.
    package mutating func received(at now: Instant) {
        if case .receiving(let since, _) = phase { phase = .receiving(since: since, last: now) }
    }

    /// `nil` while the broker has not answered.
    package var deadline: Instant? {
        guard case .receiving(let since, let last) = phase else { return nil }
        return min(last + quiet, since + Self.longest)
    }

    package func isComplete(at now: Instant) -> Bool { deadline.map { now >= $0 } ?? false }
}

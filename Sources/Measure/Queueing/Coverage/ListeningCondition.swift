import Facts
import Results

/// Whether the silence of a gateway says something about beacons.
package struct ListeningCondition: Equatable, Sendable {
    /// The latest seconds of the same kind, listening or not.
    private var isListening = false
    private var length = 0
    package private(set) var isUnknown = true
    /// Why it was not listening last.
    private var cause = QueueNow.Reason.Cause.unknown
    /// The first second of which it is unknown, or known again; `nil` before the first one.
    private var since: UnixSecond?

    /// A gateway is unknown after so many seconds in a row in which it was not listening, and known after as many in which it was.
    package static let steady = 10

    package init() {}

    /// - Returns: whether it has become known or unknown.
    package mutating func on(_ state: GatewaySecond, at second: UnixSecond) -> Bool {
        // A message about the second may still come: it will be folded again.
        if state.isAwaited { return false }
        length = isListening == state.isListening ? length + 1 : 1
        isListening = state.isListening
        if !isListening { cause = Self.cause(of: state) }
        if since == nil { since = second }
        guard length >= Self.steady, isUnknown == isListening else { return false }
        isUnknown = !isListening
        since = second.advanced(by: 1 - length)
        return true
    }

    /// Whether it has listened from the second of a report to the present one.
    package func hasListened(since heard: UnixSecond, to second: UnixSecond) -> Bool {
        isListening && heard > second.advanced(by: -length)
    }

    /// Passes a long time in which the gateway said nothing.
    package mutating func skip() { (isListening, length) = (false, Self.steady) }

    /// `nil` of a gateway that listens.
    package func absence(of gateway: String) -> AbsentGateway? {
        isUnknown ? AbsentGateway(gateway: gateway, cause: cause, since: since) : nil
    }

    private static func cause(of state: GatewaySecond) -> QueueNow.Reason.Cause {
        if state.deaf > .zero { return .deaf }
        return state.lost > .zero ? .lost : .unknown
    }
}

/// A gateway that does not listen.
package struct AbsentGateway: Equatable, Sendable {
    package let gateway: String
    package private(set) var cause: QueueNow.Reason.Cause
    /// `nil` before the first second.
    package let since: UnixSecond?

    /// The same with a cause that only the broker tells.
    package func explained(by absences: [String: QueueNow.Reason.Cause]) -> AbsentGateway {
        var copy = self
        if cause == .unknown, let other = absences[gateway] { copy.cause = other }
        return copy
    }

    package static let members: [ResultMember<AbsentGateway>] = [
        .name("gateway") { $0.gateway },
        .word("state", "As in the reasons of a queue.") { $0.cause },
        .time("since", "null before the first message.", atLeast: 0) { $0.since?.start }.nullable,
    ]
}

import Facts
import Queueing

/// Whether the silence of a gateway says something about beacons.
struct GatewayCondition: Equatable {
    /// The latest seconds of the same kind, listening or not.
    private var isListening = false
    private var length = 0
    private(set) var isUnknown = true
    /// Why it was not listening last.
    private(set) var cause = QueueNow.Reason.Cause.unknown
    /// The first second of which it is unknown, or known again; `nil` before the first one.
    private(set) var since: UnixSecond?

    /// A gateway is unknown after so many seconds in a row in which it was not listening, and known after as many in which it was: what
    /// a beacon needs to enter.
    private static let steady = GatewayPresence.entryWindow

    /// - Returns: whether it has become known or unknown.
    mutating func on(_ state: GatewaySecond, at second: UnixSecond) -> Bool {
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
    func hasListened(since heard: UnixSecond, to second: UnixSecond) -> Bool {
        isListening && heard > second.advanced(by: -length)
    }

    /// Passes a long time in which the gateway said nothing.
    mutating func skip() { (isListening, length) = (false, Self.steady) }

    private static func cause(of state: GatewaySecond) -> QueueNow.Reason.Cause {
        if state.deaf > .zero { return .deaf }
        return state.lost > .zero ? .lost : .unknown
    }
}

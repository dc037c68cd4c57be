import Sightings

/// A change of a gateway's state that an operator should see once.
package enum GatewayChange: Equatable {
    case online(version: String)
    /// The gateway reports a problem with its radio.
    case degraded
    /// The end of `degraded`.
    case recovered
    case offline
    /// Messages of a new session arrive.
    case newSession
    /// The radio receives nothing.
    case deaf
    /// The end of `deaf`.
    case hearing
    case clock(ClockState)
    /// Messages that the gateway has dropped, with its reason.
    case lost(UInt64, reason: String)
    /// Messages that did not arrive, without a declared loss.
    case missed(UInt64)
    /// Packets that the gateway's kernel has dropped.
    case dropped(Int)

    /// The gateway says that messages or packets are lost.
    var isDeclaredLoss: Bool {
        switch self {
        case .lost, .dropped: true
        default: false
        }
    }
}

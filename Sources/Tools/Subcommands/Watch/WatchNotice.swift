import Primitives
import Subscriber

/// A sentence about a gateway, which is its subject: `is offline`.
struct WatchNotice: Equatable {
    let gateway: GatewayName
    let text: String
    /// By this machine's wall clock.
    let at: UnixTime

    /// `20:26:41 store-042/entry-1 is offline`.
    var brief: String { "\(UTCTime(at).clock) \(gateway) \(text)" }
}

import Subscriber

/// A gateway's change.
struct WatchNotice: Equatable {
    let gateway: GatewayName
    let change: GatewayChange
}

import Beacons

/// An unchanged advertisement of one station, from its start to its end.
struct Transmission: Equatable, Sendable {
    let gateway: Scenario.Gateway
    let onAir: OnAir
    let kind: Advertisement.Kind
    /// `nil` if it is not an iBeacon.
    let identity: BeaconIdentity?
    /// A moment at which it sends, and from which its schedule goes on; on the radio's timeline, in microseconds.
    let origin: Int64
    let start: Int64
    /// `.max` while it lasts.
    var end = Int64.max

    /// `nil` if other stations can't report it: a directed advertisement, or one that is not a
    /// legacy PDU.
    init?(_ onAir: OnAir, by gateway: Scenario.Gateway, origin: Int64, start: Int64) {
        guard let kind = Advertisement.Kind(properties: onAir.properties) else { return nil }
        self.gateway = gateway
        self.onAir = onAir
        self.kind = kind
        self.origin = origin
        self.start = start
        identity = onAir.beacon?.identity
    }

    /// Controllers take the shortest interval that they are offered. Microseconds.
    var interval: Int64 { Int64(onAir.interval.lowerBound) * OnAir.intervalUnit }

    /// A number for it, by which its random numbers are drawn.
    var entity: UInt64 { Entity.advertisement(of: gateway.id, handle: onAir.handle) }
}

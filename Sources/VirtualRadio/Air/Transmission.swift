import Beacons
import Primitives

/// An unchanged advertisement of one station, from its start to its end.
struct Transmission: Equatable, Sendable {
    let gateway: Scenario.Gateway
    let onAir: OnAir
    let kind: Advertisement.Kind
    /// `nil` if it is not an iBeacon.
    let identity: BeaconIdentity?
    /// A moment at which it sends, and from which its schedule goes on; on the radio's timeline.
    let origin: Instant
    let start: Instant
    /// `nil` while it lasts.
    var end: Instant?

    /// `nil` if other stations can't report it: a directed advertisement, or one that is not a
    /// legacy PDU.
    init?(_ onAir: OnAir, by gateway: Scenario.Gateway, origin: Instant, start: Instant) {
        guard let kind = Advertisement.Kind(properties: onAir.properties) else { return nil }
        self.gateway = gateway
        self.onAir = onAir
        self.kind = kind
        self.origin = origin
        self.start = start
        identity = onAir.beacon?.identity
    }

    /// Controllers take the shortest interval that they are offered.
    var interval: Duration { OnAir.intervalUnit * onAir.interval.lowerBound }

    /// A number for it, by which its random numbers are drawn.
    var entity: UInt64 { Entity.advertisement(of: gateway.id, handle: onAir.handle) }
}

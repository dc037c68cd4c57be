import Beacons
import Contract
import Primitives
import Subscriber

/// The state of the gateways, and the beacons that they hear now.
///
/// Instants are of this machine's clock: a gateway with a wrong clock is shown as well.
struct WatchModel {
    /// A beacon at one gateway.
    struct Row: Equatable {
        let gateway: GatewayName
        let identity: BeaconIdentity
        /// Reports per second in the latest window with reports.
        var perSecond: Double
        /// In dBm; `nil` if no report had an RSSI.
        var mean: Double?
        var max: Int8?
        var senders: Int
        /// The gateway's own identity from another sender.
        var isEcho: Bool
        /// The time of the latest report.
        var lastHeard: Instant
        /// The time at which the row is removed.
        var end: Instant
        /// A slow average of `max` that orders the rows: a beacon that does not move keeps its place.
        var level: Double
    }

    private struct RowKey: Hashable {
        let gateway: GatewayName
        let identity: BeaconIdentity
    }

    /// The life of a row after its last report; longer for wide windows.
    static let rowLifetime = Duration.seconds(10)
    private static let longestLifetime = Duration.seconds(3600)
    /// Limits the memory if a topic is flooded.
    static let mostRows = 10_000
    static let mostGateways = 10_000

    private(set) var gateways: [GatewayName: GatewayState] = [:]
    private var rowsByKey: [RowKey: Row] = [:]
    /// Rows and gateways above the limits.
    private(set) var refused = 0

    mutating func on(_ message: StatusMessage, of gateway: GatewayName) -> [WatchNotice] {
        guard hasRoom(for: gateway) else { return [] }
        return gateways[gateway, default: GatewayState()].on(message).map {
            WatchNotice(gateway: gateway, change: $0)
        }
    }

    /// Removes a gateway whose retained status was removed.
    mutating func forget(_ gateway: GatewayName) {
        gateways[gateway] = nil
        rowsByKey = rowsByKey.filter { $0.key.gateway != gateway }
    }

    /// - Parameter wallMs: this machine's wall clock.
    mutating func on(
        _ message: SightingsMessage, of gateway: GatewayName, at now: Instant, wallMs: Int64
    ) -> [WatchNotice] {
        guard hasRoom(for: gateway) else { return [] }
        let (changes, isCurrent) = gateways[gateway, default: GatewayState()]
            .on(message, at: now, wallMs: wallMs)
        if isCurrent {
            for sighting in message.sightings {
                take(sighting, of: gateway, window: message, at: now)
            }
        }
        return changes.map { WatchNotice(gateway: gateway, change: $0) }
    }

    /// Notes a lost connection to the broker.
    mutating func interrupt() {
        for name in gateways.keys { gateways[name]?.interrupt() }
    }

    /// Removes the rows whose time is over.
    mutating func pass(to now: Instant) {
        rowsByKey = rowsByKey.filter { $0.value.end > now }
    }

    /// Ordered by gateway, then by signal strength.
    var rows: [Row] {
        rowsByKey.values.sorted { left, right in
            if left.gateway != right.gateway { return left.gateway < right.gateway }
            if left.level != right.level { return left.level > right.level }
            return Self.sortKey(left.identity) < Self.sortKey(right.identity)
        }
    }

    private static func sortKey(_ identity: BeaconIdentity) -> (UInt64, UInt64, UInt16, UInt16) {
        (identity.uuid.high, identity.uuid.low, identity.major, identity.minor)
    }

    private mutating func hasRoom(for gateway: GatewayName) -> Bool {
        if gateways[gateway] != nil || gateways.count < Self.mostGateways { return true }
        refused += 1
        return false
    }

    private mutating func take(
        _ sighting: SightingMessage, of gateway: GatewayName, window: SightingsMessage,
        at now: Instant
    ) {
        let key = RowKey(gateway: gateway, identity: sighting.identity)
        let before = rowsByKey[key]
        guard before != nil || rowsByKey.count < Self.mostRows else {
            refused += 1
            return
        }
        // The message arrives at about the end of its window.
        let width = min(.milliseconds(window.windowMs), Self.longestLifetime)
        let silence = min(
            max(.zero, .milliseconds(window.windowMs) - .milliseconds(sighting.lastSeen)),
            Self.longestLifetime)
        let lastHeard = now - silence
        let strongest = sighting.signal.map { Double($0.max) }
        let level = strongest.map { new in
            before.map { $0.level + Self.levelWeight * (new - $0.level) } ?? new
        }
        rowsByKey[key] = Row(
            gateway: gateway, identity: sighting.identity,
            perSecond: Double(sighting.count) / window.windowSeconds,
            mean: sighting.signal?.mean, max: sighting.signal?.max, senders: sighting.senders,
            isEcho: sighting.isEcho, lastHeard: lastHeard,
            end: lastHeard + max(Self.rowLifetime, width * 2),
            level: level ?? before?.level ?? -128)
    }

    /// The weight of a new value in the slow average: it follows in about five windows.
    private static let levelWeight = 0.25
}

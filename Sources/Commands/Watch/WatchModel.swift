import Beacons
import Contract
import Primitives
import Subscriber

/// What a watcher knows of the gateways and of the beacons that they hear now.
///
/// Instants are of the watcher's own clock, so that a gateway whose clock is wrong still shows.
struct WatchModel {
    /// One beacon as one gateway hears it.
    struct Row: Equatable {
        let gateway: GatewayName
        let identity: BeaconIdentity
        /// Reports per second in the latest window that had any.
        var perSecond: Double
        /// In dBm; `nil` when no report had an RSSI.
        var mean: Double?
        var max: Int8?
        var senders: Int
        /// Whether it is the gateway's own identity, sent by somebody else.
        var isEcho: Bool
        /// When the latest report was heard.
        var lastHeard: Instant
        /// When it is gone, unless it is heard again.
        var end: Instant
        /// A slow average of `max`, by which rows are ordered: people who stand still keep their place.
        var level: Double
    }

    /// What makes a row one row.
    private struct RowKey: Hashable {
        let gateway: GatewayName
        let identity: BeaconIdentity
    }

    /// A row that was not heard for so many milliseconds is gone; later where windows are wide.
    static let rowLifetimeMs: Int64 = 10_000
    /// However wide a window is, its rows don't stay for longer.
    private static let longestLifetimeMs: Int64 = 3_600_000
    /// A topic can be flooded; a table of more rows serves nobody.
    static let mostRows = 10_000
    static let mostGateways = 10_000

    private(set) var gateways: [GatewayName: GatewayView] = [:]
    private var rowsByKey: [RowKey: Row] = [:]
    /// Rows or gateways that were one too many.
    private(set) var refused = 0

    /// Takes a gateway's status.
    mutating func on(_ message: StatusMessage, of gateway: GatewayName) -> [WatchNotice] {
        guard hasRoom(for: gateway) else { return [] }
        return gateways[gateway, default: GatewayView()].on(message).map {
            WatchNotice(gateway: gateway, kind: $0)
        }
    }

    /// Its retained status was removed: whoever did so wants the gateway forgotten.
    mutating func forget(_ gateway: GatewayName) {
        gateways[gateway] = nil
        rowsByKey = rowsByKey.filter { $0.key.gateway != gateway }
    }

    /// Takes a batch of a gateway's; `wallMs` is the watcher's wall clock.
    mutating func on(
        _ message: SightingsMessage, of gateway: GatewayName, at now: Instant, wallMs: Int64
    ) -> [WatchNotice] {
        guard hasRoom(for: gateway) else { return [] }
        let (notices, isCurrent) = gateways[gateway, default: GatewayView()]
            .on(message, at: now, wallMs: wallMs)
        if isCurrent {
            for sighting in message.sightings {
                take(sighting, of: gateway, window: message, at: now)
            }
        }
        return notices.map { WatchNotice(gateway: gateway, kind: $0) }
    }

    /// The watcher's own connection was cut.
    mutating func interrupt() {
        for name in gateways.keys { gateways[name]?.interrupt() }
    }

    /// Forgets the rows that were not heard for long.
    mutating func pass(to now: Instant) {
        rowsByKey = rowsByKey.filter { $0.value.end > now }
    }

    /// By gateway, then the strongest first.
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
        // The window's end is now, as near as a watcher can tell.
        let silence = min(max(0, window.windowMs - sighting.lastSeen), Self.longestLifetimeMs)
        let lifetime = max(Self.rowLifetimeMs, min(window.windowMs, Self.longestLifetimeMs) * 2)
        let lastHeard = now.advanced(byMilliseconds: -silence)
        let strongest = sighting.signal.map { Double($0.max) }
        let level = strongest.map { new in
            before.map { $0.level + Self.levelWeight * (new - $0.level) } ?? new
        }
        rowsByKey[key] = Row(
            gateway: gateway, identity: sighting.identity,
            perSecond: Double(sighting.count) / window.windowSeconds,
            mean: sighting.signal?.mean, max: sighting.signal?.max, senders: sighting.senders,
            isEcho: sighting.isEcho, lastHeard: lastHeard,
            end: lastHeard.advanced(byMilliseconds: lifetime),
            level: level ?? before?.level ?? -128)
    }

    /// How much of a new value goes into the slow average: it follows in some five windows.
    private static let levelWeight = 0.25
}

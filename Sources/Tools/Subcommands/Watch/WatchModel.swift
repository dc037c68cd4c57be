import Beacons
import Contract
import Primitives
import Subscriber

/// The state of the gateways, and the beacons that they hear now.
///
/// Instants are of this machine's clock: a gateway with a wrong clock is shown as well.
struct WatchModel {
    /// Limits the memory if a topic is flooded: beacons at a gateway, and gateways.
    static let mostHearings = 10_000
    static let mostGateways = 10_000
    /// A beacon that left stays in the list for this time, unless a new one takes its place.
    private static let stay = Duration.seconds(60)

    private(set) var gateways: [GatewayName: WatchedGateway] = [:]
    private(set) var beacons: [BeaconIdentity: WatchedBeacon] = [:]
    /// All beacons in the order of their first appearance. A new one takes the place of one that left, so the others
    /// keep theirs.
    private(set) var places: [BeaconIdentity] = []
    /// The places of beacons that left, the first one last.
    private var vacant: [Int] = []
    private var hearings = 0
    /// Beacons and gateways above the limits.
    private(set) var refused = 0
    private let acceptsUnsyncedClocks: Bool

    init(acceptsUnsyncedClocks: Bool = false) {
        self.acceptsUnsyncedClocks = acceptsUnsyncedClocks
    }

    private func newGateway(at now: Instant) -> WatchedGateway {
        WatchedGateway(at: now, acceptsUnsyncedClock: acceptsUnsyncedClocks)
    }

    mutating func on(
        _ message: StatusMessage, of gateway: GatewayName, at now: Instant
    ) -> [GatewayChange] {
        guard hasRoom(for: gateway) else { return [] }
        let new = newGateway(at: now)
        return gateways[gateway, default: new].on(message, at: now)
    }

    /// - Parameter wall: this machine's wall clock.
    mutating func on(
        _ message: SightingsMessage, of gateway: GatewayName, at now: Instant, wall: UnixTime
    ) -> [GatewayChange] {
        guard hasRoom(for: gateway) else { return [] }
        let new = newGateway(at: now)
        let (changes, isCurrent) = gateways[gateway, default: new]
            .on(message, at: now, wall: wall)
        if isCurrent {
            for sighting in message.sightings {
                take(sighting, of: gateway, window: message, at: now)
            }
        }
        return changes
    }

    mutating func on(_ message: Health, of gateway: GatewayName, at now: Instant) {
        guard hasRoom(for: gateway) else { return }
        let new = newGateway(at: now)
        gateways[gateway, default: new].on(message)
    }

    /// - Returns: the configuration in force, if it has changed since the last report.
    mutating func on(
        _ message: ReportedMessage, of gateway: GatewayName, at now: Instant
    ) -> String? {
        guard hasRoom(for: gateway) else { return nil }
        let new = newGateway(at: now)
        let isNew = gateways[gateway, default: new].on(message, at: now)
        return isNew ? gateways[gateway]?.tuning?.text : nil
    }

    /// Removes a gateway whose retained status was removed.
    mutating func forget(_ gateway: GatewayName) {
        gateways[gateway] = nil
        for identity in places { beacons[identity]?.forget(gateway) }
        remove { $0.hearings.isEmpty }
    }

    /// Notes a lost connection to the broker.
    mutating func interrupt() {
        for name in gateways.keys { gateways[name]?.interrupt() }
    }

    /// Notes which beacons have left. Their rows stay until new beacons take the places; when most of them left a minute
    /// ago, the list closes up.
    mutating func pass(to now: Instant) {
        for name in gateways.keys { gateways[name]?.settle(at: now) }
        for identity in places { beacons[identity]?.forgetOld(at: now) }
        let old = beacons.count { $0.value.isGone(at: now - Self.stay) }
        if old * 2 > beacons.count { remove { $0.isGone(at: now - Self.stay) } }
        hearings = beacons.reduce(0) { $0 + $1.value.hearings.count }
        vacant = places.indices.reversed().filter { beacons[places[$0]]?.isGone(at: now) ?? true }
    }

    private mutating func remove(_ isRemoved: (WatchedBeacon) -> Bool) {
        beacons = beacons.filter { !isRemoved($0.value) }
        places = places.filter { beacons[$0] != nil }
        vacant = []
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
        let identity = sighting.identity
        if beacons[identity]?.hearings[gateway] == nil {
            guard hearings < Self.mostHearings else {
                refused += 1
                return
            }
            hearings += 1
        }
        if beacons[identity] == nil { admit(identity, at: now) }
        beacons[identity, default: WatchedBeacon()].take(
            sighting, of: gateway, window: window, at: now)
    }

    private mutating func admit(_ identity: BeaconIdentity, at now: Instant) {
        while let place = vacant.popLast() {
            guard beacons[places[place]]?.isGone(at: now) ?? true else { continue }
            beacons[places[place]] = nil
            places[place] = identity
            return
        }
        places.append(identity)
    }
}

/// A sentence about a gateway, which is its subject: `is offline`.
struct WatchNotice: Equatable {
    let gateway: GatewayName
    let text: String
    /// By this machine's wall clock.
    let at: UnixTime

    /// `20:26:41 store-042/entry-1 is offline`.
    var brief: String { "\(UTCTime(at).clock) \(gateway) \(text)" }
}

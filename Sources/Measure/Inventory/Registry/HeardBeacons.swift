import Beacons
import Contract
import Primitives

/// The beacons that gateways have heard, from their messages.
package struct HeardBeacons: Sendable {
    package struct Beacon: Equatable, Sendable {
        package private(set) var reports = 0
        package private(set) var windows = 0
        /// The mean power of the loudest window of each gateway, in dBm.
        package private(set) var gateways: [String: Double] = [:]
        package private(set) var latest = UnixTime(milliseconds: 0)
        /// The RSSI at one metre that it claims, in dBm.
        package private(set) var measuredPower: Int8 = 0
        /// Of its battery.
        package private(set) var millivolts: UInt16?

        /// The gateway that heard it loudest.
        package var nearest: (gateway: String, level: Double)? {
            let loudest = gateways.max { ($0.value, $1.key) < ($1.value, $0.key) }
            return loudest.map { ($0.key, $0.value) }
        }

        fileprivate mutating func take(
            _ sighting: SightingMessage, from gateway: String, in message: SightingsMessage
        ) {
            reports += sighting.count
            windows += 1
            measuredPower = sighting.measuredPower
            millivolts = sighting.telemetry?.millivolts ?? millivolts
            let seen = message.windowStart + .milliseconds(sighting.lastSeen)
            latest = max(latest, min(seen, message.windowEnd))
            if let level = sighting.signal?.powerMean {
                gateways[gateway] = max(level, gateways[gateway] ?? level)
            }
        }
    }

    /// One message; a broker may deliver it again.
    private struct Message: Hashable {
        let session: String
        let seq: UInt64
        let part: Int
    }

    package private(set) var beacons: [BeaconIdentity: Beacon] = [:]
    /// Whether each gateway has listened.
    package private(set) var gateways: [String: Bool] = [:]
    /// The end of the latest window.
    package private(set) var latest: UnixTime?
    private var messages: Set<Message> = []

    /// Beyond this, new identities are not followed: a flood.
    private static let mostBeacons = 500_000

    package init() {}

    /// Takes a message once.
    ///
    /// - Parameter gateway: its name, as its topic has it.
    package mutating func take(_ message: SightingsMessage, from gateway: String) {
        let key = Message(
            session: message.session, seq: message.seq, part: message.part?.index ?? 0)
        guard messages.insert(key).inserted else { return }
        latest = max(message.windowEnd, latest ?? message.windowEnd)
        gateways[gateway] = message.state == .hearing || gateways[gateway] ?? false
        for sighting in message.sightings {
            guard beacons[sighting.identity] != nil || beacons.count < Self.mostBeacons else {
                continue
            }
            beacons[sighting.identity, default: Beacon()]
                .take(sighting, from: gateway, in: message)
        }
    }

    /// The gateways that never listened.
    package var deaf: [String] { gateways.filter { !$0.value }.map(\.key).sorted() }
}

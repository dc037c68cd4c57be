import Beacons
import HCI
import Primitives

/// The exact numbers of a run: packets sent within the time listened to, heard by the gateway, and delivered to its host.
package struct Tally: Equatable, Sendable {
    package let gateway: String
    /// For each iBeacon identity, heard or not: what the world's beacons sent, and what the other stations did. An
    /// identity of both, as of a clone, has the sum.
    package let sent: [BeaconIdentity: Int]
    /// Packets that the controller heard; `nil` counts packets of other formats.
    package let heard: [BeaconIdentity?: Int]
    /// Reports in events that the host received.
    package let delivered: [BeaconIdentity?: Int]
    /// The same for each of its hosts, in the order in which they came.
    package let hosts: [Host]
    /// Commands that the controller does not have.
    package let unknownCommands: [Opcode: Int]

    /// One connection's part.
    package struct Host: Equatable, Sendable {
        /// When it came, on the wall clock.
        package let begun: Instant
        package let delivered: [BeaconIdentity?: Int]
    }

    /// The tally as JSON, identities in their order.
    package var json: String {
        let identities = Set(sent.keys).union(heard.keys.compactMap { $0 })
            .sorted {
                ($0.uuid.description, $0.major, $0.minor) < (
                    $1.uuid.description, $1.major, $1.minor
                )
            }
        let rows = identities.map { identity in
            "  {\"uuid\":\"\(identity.uuid)\",\"major\":\(identity.major),\"minor\":\(identity.minor),"
                + "\"sent\":\(sent[identity] ?? 0),\"heard\":\(heard[identity] ?? 0),"
                + "\"delivered\":\(delivered[identity] ?? 0)}"
        }
        let unknown = unknownCommands.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { "\"\($0.key)\":\($0.value)" }
        let others = "{\"heard\":\(heard[nil] ?? 0),\"delivered\":\(delivered[nil] ?? 0)}"
        let stays = hosts.map { host in
            let counts = identities.map { "\(host.delivered[$0] ?? 0)" }
            return
                "{\"begun\":\(host.begun.milliseconds),\"delivered\":[\(counts.joined(separator: ","))],"
                + "\"others\":\(host.delivered[nil] ?? 0)}"
        }
        let total = delivered.values.reduce(0, +)
        return "{\"gateway\":\"\(gateway)\",\"delivered\":\(total),\"others\":\(others),"
            + "\"unknownCommands\":{\(unknown.joined(separator: ","))},"
            + "\"hosts\":[\(stays.joined(separator: ","))],\"identities\":[\n"
            + rows.joined(separator: ",\n") + "]}\n"
    }
}

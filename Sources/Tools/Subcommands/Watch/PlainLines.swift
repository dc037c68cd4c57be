import Contract
import Primitives
import Sightings
import Subscriber

/// The output without a terminal: a line per sighting, a line per notice.
enum PlainLines {
    /// A line per sighting: end of the window by the gateway's clock, gateway, identity, count, mean, max, senders;
    /// `echo` if the identity is the gateway's own.
    static func lines(_ message: SightingsMessage, of gateway: GatewayName) -> [String] {
        let time = stamp(message.windowEnd)
        return message.sightings.map { sighting in
            let mean = sighting.signal.map { $0.mean.tenths } ?? "–"
            let max = sighting.signal.map { String($0.max) } ?? "–"
            return "\(time) \(gateway) \(sighting.identity) count=\(sighting.count)"
                + " mean=\(mean) max=\(max) senders=\(sighting.senders)"
                + (sighting.isEcho ? " echo" : "")
        }
    }

    static func line(_ notice: WatchNotice) -> String {
        "\(stamp(notice.at)) \(notice.gateway) \(notice.text)"
    }

    private static func stamp(_ time: UnixTime) -> String {
        UTCTime(time).stamp
    }
}

extension GatewayChange {
    /// The predicate of a sentence with the gateway as its subject.
    var text: String {
        switch self {
        case .online(let version): "is online, version \(version.printable(limit: 24))"
        case .degraded: "is degraded: its radio is deaf or in recovery"
        case .recovered: "is no longer degraded"
        case .offline: "is offline"
        case .newSession: "has restarted"
        case .deaf: "is deaf: its radio receives nothing"
        case .hearing: "is no longer deaf"
        case .clock(.synced): "has a synced clock"
        case .clock(.unsynced): "has an unsynced clock: its timestamps can be wrong"
        case .lost(let number, let reason):
            "lost \(count(number, "message")): \(reason.printable(limit: 24))"
        case .missed(let number): "missed \(count(number, "message")): they did not arrive"
        case .dropped(let number): "dropped \(count(number, "packet")) in the kernel"
        }
    }
}

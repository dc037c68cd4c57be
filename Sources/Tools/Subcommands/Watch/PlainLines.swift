import Contract
import JSON
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

/// A message as one line of JSON, with the topic and the names that it holds.
///
///     {"topic":"sightline/v1/store-042/entry-1/status","site":"store-042","gateway":"entry-1","retained":true,"message":{…}}
///
/// `message` has the bytes of the payload, so that numbers keep all digits. It is `null` for an empty payload, which
/// removes a retained message, and for a payload that is not JSON, whose beginning is then in `invalid`.
enum MessageLine {
    static func bytes(
        topic: String, of gateway: GatewayName, payload: [UInt8], isRetained: Bool
    ) -> [UInt8] {
        var writer = JSONWriter()
        let isJSON = (try? JSON(parsing: payload, maxBytes: SightingsMessage.maxBytes)) != nil
        writer.object { writer in
            writer.member("topic", .string(topic))
            writer.member("site", .string(gateway.site))
            writer.member("gateway", .string(gateway.id))
            writer.member("retained", .bool(isRetained))
            if !isJSON, !payload.isEmpty {
                let text = String(decoding: payload.prefix(1000), as: UTF8.self)
                writer.member("invalid", .string(text.printable(limit: 200)))
            }
        }
        // The closing brace follows the payload.
        var line = Array(writer.bytes.dropLast())
        line += Array(",\"message\":".utf8)
        line += isJSON ? oneLine(payload) : Array("null".utf8)
        line += Array("}\n".utf8)
        return line
    }

    /// Spaces replace line breaks and other control characters, which JSON text has only between its values.
    private static func oneLine(_ payload: [UInt8]) -> [UInt8] {
        payload.map { $0 < 0x20 || $0 == 0x7f ? UInt8(ascii: " ") : $0 }
    }
}

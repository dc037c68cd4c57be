import Contract
import JSON
import Subscriber

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

import Posix
import Primitives

/// Asks a server that does not speak MQTT whether it speaks HTTP.
///
/// A web server waits for the end of a line, which CONNECT does not have. Its own request gets an answer (RFC 9112).
enum HTTPProbe {
    /// A server that leaves CONNECT unanswered for this time is asked.
    static let patience = Duration.milliseconds(900)
    private static let time = Duration.seconds(1)

    static func isHTTP(_ peer: Sockets.ResolvedAddress, _ settings: ConnectionSettings) -> Bool {
        let deadline = Instant.now + time
        guard let socket = try? Sockets.connect(toAnyOf: [peer]),
            let stream = stream(socket, settings, until: deadline),
            stream.write(Array("HEAD / HTTP/1.0\r\n\r\n".utf8), until: deadline)
        else { return false }
        let start = Array("HTTP/".utf8)
        var answer: [UInt8] = []
        while answer.count < start.count, let more = stream.read(until: deadline) { answer += more }
        return answer.starts(with: start)
    }

    private static func stream(
        _ socket: consuming Descriptor, _ settings: ConnectionSettings, until deadline: Instant
    ) -> (any WireStream)? {
        guard let tls = settings.tls else { return PlainStream(socket) }
        let stream = try? TLSStream(socket, to: settings.host, tls, until: deadline)
        return stream?.fault == nil ? stream : nil
    }
}

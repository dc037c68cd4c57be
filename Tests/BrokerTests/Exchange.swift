import MQTT
import Posix
import Primitives
import TestSupport
import Testing

/// A request to the socket of a server.
struct Exchange {
    private let stream: PlainStream
    private let deadline = Instant.now + .seconds(Int64(Deadline.limit))

    init(_ path: String, token: String? = nil, at socket: String) throws {
        stream = PlainStream(try Sockets.connect(to: .unix(path: socket)))
        let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        let request =
            "GET \(path) HTTP/1.1\r\nHost: localhost\r\n\(authorization)Connection: close\r\n\r\n"
        #expect(stream.write(Array(request.utf8), until: deadline))
    }

    /// Reads until the text, or until the end without one.
    func read(to text: String? = nil) throws -> String {
        var bytes: [UInt8] = []
        var all: String { String(decoding: bytes, as: UTF8.self) }
        while let more = stream.read(until: deadline) {
            bytes += more
            if let text, all.contains(text) { return all }
        }
        guard .now < deadline else { throw TestFailure("no end in time: \(all)") }
        return all
    }
}

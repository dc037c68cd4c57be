import Glibc
import HTTP
import Posix
import Primitives
import TestSupport
import Testing

@Suite struct HostileClientTests {
    let routes: [Route] = [
        .get("/now", scope: .public, "") { _ in .text("now") },
        Route(.post, "/post", scope: .public, "") { .text("\($0.body.count)") },
    ]

    /// Faults of a request, and the statuses that RFC 9110 and 9112 permit; 0 is an end without an answer.
    @Test(
        "a malformed request gets an error, and the server goes on",
        arguments: [
            ("\r\n\r\n\r\n", [0, 400]),
            ("GET\r\n\r\n", [0, 400]),
            ("GET /now\r\n\r\n", [0, 400, 505]),
            ("GET /now HTTP/9.9\r\nHost: localhost\r\n\r\n", [0, 400, 505]),
            ("GET /now HTTP/1.1\r\n\r\n", [400]),
            ("GET /now HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", [400]),
            ("GET /now HTTP/1.1\r\nHost localhost\r\n\r\n", [0, 400]),
            ("GET /now HTTP/1.1\r\nHost: localhost\r\nA : b\r\n\r\n", [400]),
            (
                "POST /post HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
                [400]
            ),
            ("GET now HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
            ("GET /n ow HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
            ("GET /now HTTP/1.1\r\nHost: local\r\n host\r\n\r\n", [400]),
            ("GET /now HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n", [400]),
            // Texts behind a NUL byte, which the library does not show.
            ("GET /now HTTP/1.1\r\nHost: localhost\0.evil\r\n\r\n", [400]),
            ("GET /now HTTP/1.1\r\nHost: localhost\0.evil\r\nX: y\r\nZ:\r\n\r\n", [400]),
            ("GET /now HTTP/1.1\nA:b\nC:d\nHost: localhost\0.e\nX:y\n\n", [400]),
            ("GET /now HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n", [400]),
            ("GET /now\0/later HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
            ("GET /now?a\0b HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
            ("GET\0X /now HTTP/1.1\r\nHost: localhost\r\n\r\n", [400]),
            ("GET /now HTTP/1.1\0X\r\nHost: localhost\r\n\r\n", [0, 400, 505]),
            ("\u{0}\u{1}\u{2}\u{3} \u{4} \u{5}\r\n\r\n", [0, 400, 501, 505]),
            ("POST /post HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", [0, 400]),
            ("POST /post HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1x\r\n\r\nab", [0, 400]),
            (
                "POST /post HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n",
                [0, 400, 413]
            ),
            (
                "POST /post HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                [0, 400]
            ),
            // Request smuggling (RFC 9112, section 11.2).
            (
                "POST /post HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
                    + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /now HTTP/1.1\r\n\r\n",
                [0, 400]
            ),
            (
                "POST /post HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
                [0, 400, 501]
            ),
            (
                "POST /post HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                [0, 400]
            ),
            (
                "POST /post HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
                [0, 400, 413]
            ),
        ])
    func malformed(_ request: String, _ statuses: [Int]) throws {
        let server = try TestServer(routes)
        let client = try server.connect()
        client.send(request)
        client.finishSending()
        var response: RawResponse?
        try server.serve {
            // For a request that the library takes for an incomplete one.
            server.later += .seconds(7)
            response = client.takeResponse()
            return response != nil || client.isClosed
        }
        #expect(statuses.contains(response?.status ?? 0), "\(response?.status ?? 0)")
        #expect(client.takeResponse() == nil)
        #expect(try server.get("/now").status == 200)
    }

    @Test(
        "fields of any usual form are read whole, one request after the other",
        arguments: [
            "Host: localhost\r\n", "Host:localhost\r\nA:\r\nB: \r\nC: d \r\n",
            "A: b\r\nHost:   localhost\r\nCookie: a=b; c=\"d\"\r\n", "Host: localhost\t\r\n",
            "Host: localhost\r\n" + String(repeating: "A: b\r\n", count: 200),
        ])
    func usualFields(_ fields: String) throws {
        let server = try TestServer(routes)
        let client = try server.connect()
        for target in ["/now", "/now?a=b&c", "/%6eow?"] {
            client.send("GET \(target) HTTP/1.1\r\n")
            try server.step()
            client.send(fields)
            try server.step()
            client.send("\r\n")
            #expect(try server.answer(to: client).status == 200, "\(target)")
        }
    }

    @Test("headers beyond the limit get 431, a long target 414")
    func hugeHeaders() throws {
        let server = try TestServer(routes)
        func field(_ bytes: Int) -> String { "X: \(String(repeating: "x", count: bytes))\r\n" }
        #expect(try server.get("/now", field(8000)).status == 200)
        #expect(try server.get("/now", field(8300)).status == 431)
        #expect(try server.get("/" + String(repeating: "x", count: 5000)).status == 414)
        // Beyond libmicrohttpd's memory for a connection.
        for bytes in [20_000, 200_000] {
            let client = try server.connect()
            client.send("GET /now HTTP/1.1\r\nHost: localhost\r\n\(field(bytes))\r\n")
            try server.serve { client.isClosed }
            #expect(client.text.isEmpty || client.text.hasPrefix("HTTP/1.1 431 "))
        }
        let many = String(repeating: "A: b\r\n", count: 5000)
        let client = try server.connect()
        client.send("GET /now HTTP/1.1\r\nHost: localhost\r\n\(many)\r\n")
        try server.serve { client.isClosed }
        #expect(try server.get("/now").status == 200)
    }

    @Test("random bytes and broken requests never end the server")
    func fuzz() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SplitMix64(seed: seed)
        let server = try TestServer(routes) { $0.limits.bodyBytes = 1000 }
        let valid = [
            "GET /now?a=%20b HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip;q=0\r\n\r\n",
            "POST /post HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc",
            "POST /post HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        ].map { Array($0.utf8) }
        for _ in 0..<1500 {
            var bytes = valid[Int.random(in: 0..<valid.count, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(contentsOf: bytes[place...].prefix(9), at: place)
                default: bytes.removeSubrange(place...)
                }
                if bytes.isEmpty { bytes = [0x47] }
            }
            let client = try server.connect()
            client.send(bytes)
            client.finishSending()
            try server.step()
            if Bool.random(using: &random) { client.close() }
        }
        server.later = .seconds(200)
        try server.serve { server.server.counters.clients == 0 }
        #expect(try server.get("/now").status == 200, "seed \(seed)")
    }

    @Test("clients beyond the limit of their address or of all get 503, and nobody else suffers")
    func limits() throws {
        let server = try TestServer(routes) {
            $0.limits.clients = 20
            $0.limits.clientsOfAddress = 10
            $0.limits.trustsLocalClients = false
        }
        let first = try (0..<10).map { _ in try server.connect() }
        try server.serve { server.server.counters.clients == 10 }
        let refused = try server.get("/now")
        #expect(refused.status == 503)
        #expect(refused.fields["retry-after"] == "5")
        #expect(refused.fields["connection"]?.lowercased() == "close")
        first[0].send("GET /now HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try server.answer(to: first[0]).status == 200)
        first[1].close()
        try server.serve { server.server.counters.clients == 9 }
        #expect(try server.get("/now").status == 200)
        #expect(server.server.counters.refused[.clients] == 1)
    }

    @Test(
        "when all connections are taken, the oldest without a request makes room",
        arguments: [
            "", "GET /now HT", "GET /now HTTP/1.1\r\n",
            "POST /post HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nab",
        ])
    func room(start: String) throws {
        let server = try TestServer(routes + [stream]) { $0.limits.clients = 4 }
        let watcher = try watch(server)
        var idle: [RawClient] = []
        for count in 2...4 {
            let client = try server.connect()
            client.send(start)
            try server.serve { server.server.counters.clients == count }
            idle.append(client)
        }
        #expect(try server.get("/now").status == 200)
        try server.serve { idle[0].isClosed }
        #expect(try server.get("/now").status == 200)
        try server.serve { idle[1].isClosed }
        #expect(!watcher.isClosed && !idle[2].isClosed)
        #expect(server.server.counters.refused[.clients] == 2)
    }

    private let channel = EventChannel(EventRing(epoch: "e"))

    private var stream: Route {
        .get("/stream", scope: .public, "") { [channel] request in
            .stream(EventStream(of: channel, for: request, topics: nil) { [] })
        }
    }

    private func watch(_ server: TestServer) throws -> RawClient {
        let client = try server.connect()
        client.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try server.serve { client.text.contains("snapshot") }
        return client
    }

    @Test("10,000 connections are refused politely, and the first ones go on")
    func manyConnections() throws {
        let server = try TestServer(routes + [stream]) { $0.limits.clients = 50 }
        let kept = try (0..<50).map { _ in try watch(server) }
        var answered = 0
        for _ in 0..<100 {
            let wave = try (0..<100).map { _ in try server.connect() }
            for client in wave { client.send("GET /now HTTP/1.1\r\nHost: localhost\r\n\r\n") }
            try server.serve { wave.allSatisfy(\.isClosed) }
            answered += wave.filter { $0.text.hasPrefix("HTTP/1.1 503 ") }.count
        }
        #expect(answered == 10_000)
        #expect(server.server.counters.refused[.clients] == 10_000)
        channel.publish("number", Array("1".utf8), topic: nil, scope: .public)
        try server.serve { kept.allSatisfy { $0.text.contains("event: number") } }
    }
}

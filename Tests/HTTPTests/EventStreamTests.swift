import Posix
import Primitives
import TestSupport
import Testing

@testable import HTTP

@Suite struct EventStreamTests {
    /// A server whose state is the number of its events.
    private final class Source {
        let channel: EventChannel
        private(set) var state = 0

        init(_ ring: EventRing = EventRing(epoch: "e")) { channel = EventChannel(ring) }

        func publish(
            topic: String? = nil, scope: Scope = .public, _ data: String? = nil,
            reduced: String? = nil
        ) {
            state += 1
            channel.publish(
                "number", Array((data ?? "\(state)").utf8), topic: topic, scope: scope,
                reduced: reduced.map { Array($0.utf8) })
        }

        var route: Route {
            .get("/stream", scope: .public, "") { [self] request in
                .stream(
                    EventStream(
                        of: channel, for: request, topics: request.query("topic").map { [$0] }
                    ) { Array("\(state)".utf8) })
            }
        }
    }

    private func open(
        _ server: TestServer, _ fields: String = "", target: String = "/stream"
    ) throws -> RawClient {
        let client = try server.connect()
        client.send("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
        return client
    }

    private func numbers(_ client: RawClient) -> [String] {
        EventStreamClient(client).events.map(\.data)
    }

    @Test("a client gets a snapshot, then all events in order")
    func snapshotThenEvents() throws {
        let source = Source()
        let server = try TestServer([source.route])
        for _ in 0..<3 { source.publish() }
        let client = try open(server)
        try server.serve { numbers(client) == ["3"] }
        #expect(client.text.contains("text/event-stream"))
        let first = EventStreamClient(client)
        #expect(first.events[0].name == "snapshot")
        #expect(first.events[0].id == "e-3")
        #expect(first.retry == 500)
        for number in 4..<100 {
            source.publish()
            // Else the events would rest until something else happens.
            #expect(try #require(server.server.deadline) <= .now)
            if number.isMultiple(of: 7) { try server.step() }
        }
        try server.serve { EventStreamClient(client).events.last?.id == "e-99" }
        #expect(numbers(client) == (3..<100).map(String.init))
        #expect(server.server.counters.streams == 1)
    }

    @Test("a client that connects again goes on after its last event")
    func resume() throws {
        let source = Source()
        let server = try TestServer([source.route])
        var seen: [String] = []
        var last = ""
        for round in 0..<20 {
            let client = try open(server, last.isEmpty ? "" : "Last-Event-ID: \(last)\r\n")
            source.publish()
            source.publish()
            let wanted = "e-\(source.state)"
            try server.serve { EventStreamClient(client).events.last?.id == wanted }
            let events = EventStreamClient(client).events
            #expect(events.contains { $0.name == "snapshot" } == (round == 0))
            seen += events.filter { $0.name == "number" }.map(\.data)
            last = events.last?.id ?? ""
            client.close()
            // The server notices a closed connection when it writes.
            try server.serve {
                source.publish()
                return server.server.counters.streams == 0
            }
            source.publish()
        }
        // Nothing twice, nothing missing after the snapshot.
        let first = Int(seen[0]) ?? 0
        #expect(seen == (first..<first + seen.count).map(String.init))
        #expect(seen.last == last.dropFirst(2).description)
    }

    @Test("lines of data stay lines")
    func lines() throws {
        let source = Source()
        let server = try TestServer([source.route])
        let client = try open(server)
        try server.serve { numbers(client) == ["0"] }
        source.publish("a\nb\r\nc\rd\n")
        try server.serve { numbers(client).count == 2 }
        #expect(numbers(client)[1] == "a\nb\nc\nd\n")
    }

    @Test("a stream has the events of its topic and of its client's scope")
    func selection() throws {
        let source = Source()
        let server = try TestServer([source.route]) { $0.policy.anonymous = .public }
        let client = try open(server, target: "/stream?topic=a")
        try server.serve { numbers(client) == ["0"] }
        source.publish(topic: "b", "of b")
        source.publish(topic: "a", scope: .read, "secret")
        source.publish(topic: "a", "of a")
        source.publish(topic: "a", scope: .read, "whole", reduced: "reduced")
        source.publish("of all")
        try server.serve { numbers(client).last == "of all" }
        #expect(numbers(client) == ["0", "of a", "reduced", "of all"])
        let reader = try TestServer([source.route]) { $0.policy.anonymous = .read }
        let other = try open(reader, target: "/stream?topic=a")
        try reader.serve { numbers(other).count == 1 }
        source.publish(topic: "a", scope: .read, "whole", reduced: "reduced")
        try reader.serve { numbers(other).last == "whole" }
    }

    @Test("a silent stream gets a comment every 15 s")
    func comments() throws {
        let source = Source()
        let server = try TestServer([source.route])
        let client = try open(server)
        try server.serve { numbers(client) == ["0"] }
        for count in 1...4 {
            server.later += .seconds(14)
            try server.step()
            #expect(EventStreamClient(client).comments == count - 1)
            server.later += .seconds(1)
            try server.serve { EventStreamClient(client).comments == count }
        }
        #expect(server.server.counters.streams == 1)
    }

    @Test("a client that falls behind is disconnected and counted, the others get everything")
    func slowClient() throws {
        let source = Source(EventRing(epoch: "e", capacity: 16))
        // A busy machine may need longer for all events than a client is given.
        let server = try TestServer([source.route]) { $0.limits.silence = .seconds(3600) }
        let slow = try open(server)
        let quick = try open(server)
        try server.serve { numbers(slow) == ["0"] && numbers(quick) == ["0"] }
        slow.isReading = false
        let data = String(repeating: "x", count: 100_000)
        for _ in 0..<200 {
            source.publish(data)
            let wanted = "e-\(source.state)"
            try server.serve {
                quick.text.contains("id: \(wanted)\n") && quick.text.hasSuffix("\n\n\r\n")
            }
            #expect(!quick.isClosed)
            quick.forget()
        }
        #expect(server.server.counters.streams == 2)
        slow.isReading = true
        try server.serve { slow.isClosed && server.server.counters.streams == 1 }
        #expect(server.server.counters.refused[.slow] == 1)
    }

    @Test("a client that takes nothing for two comments is disconnected")
    func stuckClient() throws {
        let source = Source()
        let server = try TestServer([source.route])
        let client = try open(server)
        try server.serve { numbers(client) == ["0"] }
        client.isReading = false
        // More than the sockets' buffers, less than the ring.
        for _ in 0..<8 { source.publish(String(repeating: "x", count: 120_000)) }
        for _ in 0..<100 where server.server.counters.streams == 1 {
            source.publish(String(repeating: "x", count: 120_000))
            try server.step()
            server.later += .seconds(15)
            try server.step()
        }
        #expect(server.server.counters.streams == 0)
        #expect(server.server.counters.refused[.slow] == 1)
    }

    @Test("HTTP/1.0 and HEAD get the stream's headers")
    func otherVersions() throws {
        let source = Source()
        let server = try TestServer([source.route])
        let head = try server.connect()
        head.send("HEAD /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try server.serve { head.text.hasSuffix("\r\n\r\n") }
        #expect(server.server.counters.streams == 0)
        let old = try server.connect()
        old.send("GET /stream HTTP/1.0\r\nHost: localhost\r\n\r\n")
        try server.serve { old.text.hasSuffix("data: 0\n\n") }
        source.publish()
        try server.serve { old.text.hasSuffix("data: 1\n\n") }
    }

    @Test("a stream beyond the limit has all events, and ends")
    func limit() throws {
        let source = Source()
        let server = try TestServer([source.route, .get("/x", scope: nil, "") { _ in .text("x") }])
        {
            $0.limits.streams = 2
        }
        let clients = [try open(server), try open(server)]
        try server.serve { clients.allSatisfy { numbers($0) == ["0"] } }
        let brief = try open(server)
        try server.serve { brief.text.hasSuffix("0\r\n\r\n") }
        #expect(numbers(brief) == ["0"])
        #expect(EventStreamClient(brief).retry == 10_000)
        #expect(EventStreamClient(clients[0]).retry == 500)
        for _ in 0..<3 { source.publish() }
        // It asks again, and has missed nothing.
        let again = try open(server, "Last-Event-ID: e-0\r\n")
        try server.serve { again.text.hasSuffix("0\r\n\r\n") }
        #expect(numbers(again) == ["1", "2", "3"])
        #expect(server.server.counters.streams == 2)
        #expect(try server.get("/x").status == 200)
        clients[0].close()
        // The server notices a closed connection when it writes.
        try server.serve {
            source.publish()
            return server.server.counters.streams == 1
        }
        let next = try open(server)
        try server.serve { numbers(next).count == 1 }
        #expect(!next.text.hasSuffix("0\r\n\r\n"))
        #expect(server.server.counters.refused[.streams] == 2)
    }

    @Test("other tokens end the streams at the present event, and a revoked token opens none")
    func revocation() throws {
        let token = AccessTokens.Token(
            name: "wall", digest: SHA256Digest(of: Array("secret".utf8)), scope: .read)
        let policy = AccessPolicy(anonymous: nil, tokens: AccessTokens([token]))
        let source = Source(EventRing(epoch: "e", capacity: 16))
        let server = try TestServer([source.route]) { $0.policy = policy }
        let field = "Authorization: Bearer secret\r\n"
        let (client, slow) = (try open(server, field), try open(server, field))
        try server.serve { numbers(client) == ["0"] && numbers(slow) == ["0"] }
        server.server.policy = policy
        source.publish()
        try server.serve { numbers(client) == ["0", "1"] && numbers(slow) == ["0", "1"] }
        slow.isReading = false
        for _ in 0..<8 { source.publish(String(repeating: "x", count: 120_000)) }
        try server.serve { numbers(client).count == 10 }
        server.server.policy.tokens = AccessTokens()
        source.publish("later")
        try server.serve { client.text.hasSuffix("0\r\n\r\n") }
        slow.isReading = true
        try server.serve { slow.text.hasSuffix("0\r\n\r\n") }
        #expect(numbers(client).count == 10)
        #expect(numbers(slow).count == 10)
        #expect(server.server.counters.streams == 0)
        #expect(try server.get("/stream", field).status == 401)
    }

    @Test("a server that ends, ends its streams")
    func end() throws {
        let source = Source()
        var server: TestServer? = try TestServer([source.route])
        let client = try server.map { try open($0) }
        try server?.serve { numbers(try #require(client)) == ["0"] }
        server = nil
        client?.exchange()
        #expect(client?.isClosed == true)
        source.publish()
    }
}

import Glibc
import HTTP
import Posix
import Primitives
import TestSupport
import Testing

extension HostileClientTests {
    @Test("a client that sends a byte now and then is ended after 20 s in all")
    func slowloris() throws {
        let server = try TestServer(routes)
        let clients = try (0..<20).map { _ in try server.connect() }
        for client in clients { client.send("GET /now HTTP/1.1\r\nHost: localhost\r\n") }
        for _ in 0..<19 {
            server.later += .seconds(1)
            for client in clients { client.send("X: y\r\n") }
            try server.step()
        }
        #expect(server.server.counters.clients == 20)
        server.later += .seconds(2)
        try server.serve { clients.allSatisfy(\.isClosed) }
        #expect(server.server.counters.refused[.timeout] == 20)
    }

    private var large: Route {
        Route.get("/large", scope: nil, "") { _ in
            Response(.ok, body: [UInt8](repeating: 0, count: 30_000_000))
        }
    }

    /// A server whose times are longer than a test on a busy machine.
    private func patientServer(clients: Int = 10) throws -> TestServer {
        try TestServer(routes + [large]) {
            $0.limits.clients = clients
            $0.limits.silence = .seconds(1000)
            $0.limits.responseTime = .seconds(2500)
        }
    }

    /// A client that fills its connection with a response.
    func start(_ server: TestServer) throws -> RawClient {
        let client = try server.connect()
        client.isReading = false
        client.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let before = server.server.counters.bytes
        try server.serve { server.server.counters.bytes > before }
        try fill(server)
        return client
    }

    private func fill(_ server: TestServer) throws {
        var sent: UInt64
        repeat {
            sent = server.server.counters.bytes
            try server.step()
        } while server.server.counters.bytes > sent
    }

    /// Lets a client take a part of its response.
    private func advance(_ client: RawClient, _ server: TestServer) throws {
        let sent = server.server.counters.bytes
        client.isReading = true
        try server.serve { server.server.counters.bytes > sent }
        client.isReading = false
        try fill(server)
    }

    @Test("a client that takes nothing of its response is ended")
    func stuckReader() throws {
        let server = try patientServer()
        _ = try start(server)
        server.later = .seconds(800)
        try server.step()
        #expect(server.server.counters.clients == 1)
        server.later = .seconds(1200)
        try server.serve { server.server.counters.clients == 0 }
        #expect(server.server.counters.refused[.timeout] == 1)
    }

    @Test("a client that takes its response in pieces is ended when it takes too long")
    func slowReader() throws {
        let server = try patientServer()
        let client = try start(server)
        for part in 1...3 {
            server.later = .seconds(800 * part)
            try advance(client, server)
            #expect(server.server.counters.clients == 1)
        }
        #expect(server.server.counters.bytes < 30_000_000)
        server.later = .seconds(2700)
        try server.serve { server.server.counters.clients == 0 }
        #expect(server.server.counters.refused[.timeout] == 1)
    }

    @Test("when all connections are taken, the response that rests for the longest time makes room")
    func roomOfReaders() throws {
        let server = try patientServer(clients: 3)
        var readers: [RawClient] = []
        for second in 0..<3 {
            server.later = .seconds(second)
            readers.append(try start(server))
        }
        // The first one goes on: the second one now rests for the longest time.
        server.later = .seconds(3)
        try advance(readers[0], server)
        #expect(try server.get("/now").status == 200)
        try server.serve {
            readers.forEach { $0.isReading = true }
            return readers[1].isClosed
        }
        #expect(readers[1].received.count < 30_000_000)
        try server.serve {
            [readers[0], readers[2]].allSatisfy { $0.received.count > 30_000_000 }
        }
        #expect(server.server.counters.refused[.clients] == 1)
    }
}

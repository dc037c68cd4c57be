import HTTP
import Posix
import Primitives
import TestSupport

/// A server on a free port, and its clients, in one thread: a wait drives both.
final class TestServer {
    let server: HTTPServer
    private(set) var log: [String] = []
    private var clients: [RawClient] = []
    /// Added to the clock, so that tests need not wait for time-outs.
    var later = Duration.zero

    init(_ routes: [Route], _ change: (inout HTTPServer.Options) -> Void = { _ in }) throws {
        var options = HTTPServer.Options()
        options.limits.requestsAtOnce = 100_000
        options.limits.clientsOfAddress = 100_000
        change(&options)
        server = try HTTPServer(options, router: Router(routes), at: .now)
    }

    var port: UInt16 { server.ports.first ?? 0 }

    func connect() throws -> RawClient {
        let client = try RawClient(.tcp(host: "127.0.0.1", port: port))
        clients.append(client)
        return client
    }

    func connect(to address: Sockets.Address) throws -> RawClient {
        let client = try RawClient(address)
        clients.append(client)
        return client
    }

    /// Serves until `condition` holds.
    func serve(
        within seconds: Double = Deadline.limit, until condition: () throws -> Bool
    ) throws {
        let deadline = Deadline(in: seconds)
        while try !condition() {
            guard !deadline.hasPassed else { throw TestFailure("nothing happened in time") }
            try step()
        }
    }

    /// One round of the loop.
    func step() throws {
        clients.removeAll(where: \.isClosed)
        let interests = server.interests + clients.map(\.interest)
        let due = server.deadline.map { $0 - later }
        // Long enough to notice a deadline that the server forgets, short enough for the limit.
        let latest = Instant.now + .seconds(1)
        let ready = try Poll.wait(for: interests, until: Instant.earliest(due, latest))
        for client in clients where !ready[client.number].isEmpty { client.exchange() }
        server.service(at: .now + later)
    }

    /// Sends a request on a connection of its own and returns the response.
    func answer(_ request: String) throws -> RawResponse {
        let client = try connect()
        client.send(request)
        return try answer(to: client)
    }

    func answer(to client: RawClient) throws -> RawResponse {
        var response: RawResponse?
        try serve {
            response = client.takeResponse()
            return response != nil || client.isClosed
        }
        guard let response else { throw TestFailure("the server closed the connection") }
        return response
    }

    func get(_ target: String, _ fields: String = "") throws -> RawResponse {
        try answer("GET \(target) HTTP/1.1\r\nHost: localhost\r\n\(fields)\r\n")
    }
}

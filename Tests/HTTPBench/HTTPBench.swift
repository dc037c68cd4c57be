import Glibc
import HTTP
import Posix
import Primitives

/// Serves an event stream for a measurement: `http-bench EVENTS_PER_SECOND BYTES`.
///
/// It prints its port, publishes, and ends when the last client has gone. Then it prints processor time in microseconds,
/// the largest resident memory in kibibytes, and the number of published events.
@main
struct HTTPBench {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst().compactMap { Int64($0) }
        let pause = Duration.microseconds(1_000_000 / max(1, arguments.first ?? 10))
        let data = [UInt8](repeating: UInt8(ascii: "x"), count: Int(arguments.last ?? 200))
        let channel = EventChannel(EventRing(epoch: "bench"))
        let server = try server(of: channel)
        try print("\(server.ports.first ?? 0)")
        var next = Instant.now + pause
        var published = 0
        var hadClients = false
        var resident: Int64 = 0
        while !hadClients || server.counters.streams > 0 {
            _ = try Poll.wait(
                for: server.interests, until: Instant.earliest(server.deadline, next))
            let now = Instant.now
            if now >= next {
                next = next + pause
                channel.publish("tick", data)
                published += 1
                resident = max(resident, ProcessMemory.resident)
            }
            server.service(at: now)
            hadClients = hadClients || server.counters.streams > 0
        }
        try print("\(Clocks.processor.microseconds) \(resident / 1024) \(published)")
    }

    private static func server(of channel: EventChannel) throws -> HTTPServer {
        var options = HTTPServer.Options()
        options.limits.clients = 4000
        options.limits.clientsOfAddress = 4000
        options.limits.streams = 4000
        options.limits.requestsAtOnce = 10_000
        let route = Route.get("/stream", scope: nil, "Events") { request in
            .stream(EventStream(of: channel, for: request) { [] })
        }
        return try HTTPServer(options, router: Router([route]), at: .now)
    }

    private static func print(_ line: String) throws {
        try Descriptor.writeAll(Array((line + "\n").utf8), to: STDOUT_FILENO)
    }
}

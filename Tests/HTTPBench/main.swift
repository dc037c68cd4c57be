import Glibc
import HTTP
import Posix
import Primitives

// Serves an event stream for a measurement: http-bench EVENTS_PER_SECOND BYTES.
//
// It prints its port, publishes, and ends when the last client has gone. Then it prints processor time in microseconds,
// the largest resident memory in kibibytes, and the number of published events.
let arguments = CommandLine.arguments.dropFirst().compactMap { Int64($0) }
let pause = Duration.microseconds(1_000_000 / max(1, arguments.first ?? 10))
let data = [UInt8](repeating: UInt8(ascii: "x"), count: Int(arguments.last ?? 200))

var options = HTTPServer.Options()
options.limits.clients = 4000
options.limits.clientsOfAddress = 4000
options.limits.streams = 4000
options.limits.requestsAtOnce = 10_000
let channel = EventChannel(EventRing(epoch: "bench"))
let router = Router([
    .get("/stream", scope: nil, "Events") { request in
        .stream(EventStream(of: channel, for: request) { [] })
    }
])
let server = try HTTPServer(options, router: router, at: .now)
try Descriptor.writeAll(Array("\(server.ports.first ?? 0)\n".utf8), to: STDOUT_FILENO)

var next = Instant.now + pause
var published = 0
var hadClients = false
var resident: Int64 = 0
while !hadClients || server.counters.streams > 0 {
    let due = Instant.earliest(server.deadline, next)
    _ = try Poll.wait(for: server.interests, until: due)
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
print(Clocks.processor, resident / 1024, published)

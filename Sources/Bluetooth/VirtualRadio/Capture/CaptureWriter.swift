import Glibc
import HCI
import Posix
import Primitives

/// Writes what a gateway hears as a btsnoop capture, faster than real time.
package final class CaptureWriter {
    private let file: Descriptor
    private var world: World
    private let gateway: Scenario.Gateway
    private var buffer: [UInt8]
    /// The reports that were written.
    package private(set) var reports = 0

    private enum Size {
        /// Bytes in memory before they are written.
        static let buffer = 1 << 20
        /// Microseconds of the world between two looks at it.
        static let step: Int64 = 10_000_000
    }

    /// Creates the file, or empties it.
    package init(
        _ scenario: Scenario, gateway: Scenario.Gateway, path: String
    ) throws(Errno) {
        world = World(scenario)
        self.gateway = gateway
        buffer = Btsnoop.header(.h4)
        file = try Descriptor(from: {
            open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        })
    }

    /// Writes the reports from `start` until just before `end`, microseconds since the Unix epoch.
    package func write(from start: Int64, to end: Int64) throws(Errno) {
        let epoch = world.scenario.epochMs * 1000
        var time = start
        while time < end {
            let next = min(end, time + Size.step)
            let heard = world.advertisements(
                heardBy: gateway, from: time - epoch, to: next - epoch)
            for advertisement in heard {
                let event = SimulatedController.event(of: advertisement)
                Btsnoop.append(
                    event: event, at: Instant(microseconds: advertisement.time + epoch), to: &buffer
                )
            }
            reports += heard.count
            if buffer.count > Size.buffer { try flush() }
            time = next
        }
        try flush()
    }

    private func flush() throws(Errno) {
        try file.writeAll(buffer)
        buffer.removeAll(keepingCapacity: true)
    }
}

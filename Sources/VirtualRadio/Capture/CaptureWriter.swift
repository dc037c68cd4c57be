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
        /// The world's time between two looks at it.
        static let step: Duration = .seconds(10)
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

    /// Writes the reports from `start` until just before `end`, on the wall clock.
    package func write(from start: Instant, to end: Instant) throws(Errno) {
        let scenario = world.scenario
        var time = start
        while time < end {
            let next = min(end, time + Size.step)
            let heard = world.advertisements(
                heardBy: gateway, from: scenario.worldTime(at: time),
                to: scenario.worldTime(at: next))
            for advertisement in heard {
                let event = SimulatedController.event(of: advertisement)
                Btsnoop.append(
                    event: event, at: scenario.wallTime(at: advertisement.time), to: &buffer)
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

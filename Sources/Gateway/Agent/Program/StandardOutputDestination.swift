import Beacons
import Contract
import Glibc
import Posix
import Primitives
import Sightings

/// Messages on standard output instead of MQTT, one a line, with the settings of the file alone.
final class StandardOutput: Destination {
    let settings: GatewaySettings
    private(set) var end: Result<Void, Daemon.Exit>?
    private let writer: SightingsWriter
    private var lines: [UInt8] = []
    private var line: [UInt8] = []
    /// The time of the first collected line: it is due at once.
    private(set) var deadline: Instant?

    /// The collected bytes that cause a write.
    private static let writeThreshold = 1 << 18

    init(_ run: Daemon.Run) {
        settings = run.configuration.settings
        writer = SightingsWriter(
            topics: run.configuration.topics, session: run.session.description)
    }

    var isService: Bool { false }
    var interest: Poll.Interest? { nil }

    func post(_ batch: Batch, _ stamp: Stamp) -> Bool {
        guard end == nil else { return false }
        writer.write(batch, stamp: stamp, into: &line)
        lines.append(contentsOf: line)
        lines.append(UInt8(ascii: "\n"))
        deadline = deadline ?? .now
        if lines.count >= Self.writeThreshold { write() }
        return true
    }

    func post(_ message: UplinkMessage) -> Bool {
        if message == .stop {
            write()
            end = end ?? .success(())
        }
        return true
    }

    func update(at now: Instant) { write() }
    func takeOrders() -> [ApplyRequest] { [] }
    func takeReferences() -> [BeaconIdentity]? { nil }
    func kill() -> Int { 0 }

    /// Writes the collected lines. The first failure is the end.
    private func write() {
        guard end == nil, !lines.isEmpty else { return }
        defer {
            lines.removeAll(keepingCapacity: true)
            deadline = nil
        }
        do throws(Errno) { try Descriptor.writeAll(lines, to: STDOUT_FILENO) } catch {
            end = .failure(Daemon.report(["standard output: \(error)"], .failed))
        }
    }
}

import Contract
import Glibc
import Posix
import Sightings

/// Messages on standard output, one a line, in the place of MQTT.
package final class Output {
    private let writer: SightingsWriter
    private let descriptor: CInt
    private var lines: [UInt8] = []
    private var line: [UInt8] = []
    private var failure: Errno?

    /// What is gathered before it is written, where nobody waits for it.
    private static let roomBytes = 1 << 18

    package init(topics: Topics, session: Session, descriptor: CInt = STDOUT_FILENO) {
        writer = SightingsWriter(topics: topics, session: session.description)
        self.descriptor = descriptor
    }

    /// Adds a batch's line; once a write has failed, nothing more is done.
    package func write(_ batch: Batch, stamp: Stamp) {
        guard failure == nil else { return }
        writer.write(batch, stamp: stamp, into: &line)
        lines.append(contentsOf: line)
        lines.append(UInt8(ascii: "\n"))
        if lines.count >= Self.roomBytes { drain() }
    }

    /// Writes what has been gathered.
    ///
    /// - Throws: the first failure there was.
    package func flush() throws(Errno) {
        drain()
        if let failure { throw failure }
    }

    private func drain() {
        defer { lines.removeAll(keepingCapacity: true) }
        do throws(Errno) { try Descriptor.writeAll(lines, to: descriptor) } catch {
            failure = failure ?? error
        }
    }
}

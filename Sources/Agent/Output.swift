import Contract
import Glibc
import Posix
import Sightings

/// Messages on standard output instead of MQTT, one a line.
package final class Output {
    private let writer: SightingsWriter
    private let descriptor: CInt
    private var lines: [UInt8] = []
    private var line: [UInt8] = []
    private var failure: Errno?

    /// The collected bytes that cause a write.
    private static let writeThreshold = 1 << 18

    package init(topics: Topics, session: Session, descriptor: CInt = STDOUT_FILENO) {
        writer = SightingsWriter(topics: topics, session: session.description)
        self.descriptor = descriptor
    }

    /// Adds the line of a batch. After a write failure it does nothing.
    package func write(_ batch: Batch, stamp: Stamp) {
        guard failure == nil else { return }
        writer.write(batch, stamp: stamp, into: &line)
        lines.append(contentsOf: line)
        lines.append(UInt8(ascii: "\n"))
        if lines.count >= Self.writeThreshold { drain() }
    }

    /// Writes the collected lines.
    ///
    /// - Throws: the first write failure.
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

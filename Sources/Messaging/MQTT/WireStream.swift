import Posix
import Primitives

/// A byte stream to a broker, with TLS or without.
package protocol WireStream: AnyObject {
    /// Writes all bytes until `deadline` on the boot clock; `false` after a failure.
    func write(_ bytes: [UInt8], until deadline: Instant) -> Bool

    /// Reads the next bytes; `nil` at the end of the stream, or at `deadline`.
    func read(until deadline: Instant) -> [UInt8]?
}

/// Plain TCP.
package final class PlainStream: WireStream {
    private let socket: Descriptor

    package init(_ socket: consuming Descriptor) { self.socket = socket }

    package func write(_ bytes: [UInt8], until deadline: Instant) -> Bool {
        do throws(Errno) { try socket.writeAll(bytes) } catch { return false }
        return true
    }

    package func read(until deadline: Instant) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let number = socket.rawValue
        while Waiting.isOver(number, .input, until: deadline) == false {
            let result = buffer.withUnsafeMutableBytes { Descriptor.read(number, into: $0) }
            guard let read = try? result.get() else {
                if case .failure = result { return nil }
                continue
            }
            return read > 0 ? Array(buffer.prefix(read)) : nil
        }
        return nil
    }
}

/// Waits for a socket with a time limit.
enum Waiting {
    /// Waits for the socket; `true` if the deadline passes first.
    static func isOver(_ descriptor: CInt, _ events: Poll.Events, until deadline: Instant) -> Bool {
        while .now < deadline {
            let ready = try? Poll.wait(
                for: [Poll.Interest(descriptor, events)], until: deadline)
            guard let ready else { return true }
            if !ready[descriptor].isEmpty { return false }
        }
        return true
    }
}

import Glibc
import Posix

/// A listener on the loopback interface that answers an MQTT CONNECT with the test's bytes.
package final class FakeBroker {
    /// Its reaction to a CONNECT of a protocol level (5, or 4 for 3.1.1).
    package enum Reaction: Sendable {
        /// Sends the bytes, and keeps the connection.
        case answer([UInt8])
        /// Sends the bytes, and closes.
        case answerAndClose([UInt8])
        /// Sends nothing, and keeps the connection.
        case silence
        /// Sends the bytes, then answers each packet with the function's result, until the client
        /// disconnects. `nil` closes the connection.
        case serve([UInt8], @Sendable (_ packet: [UInt8]) -> [UInt8]?)
    }

    /// What a client requests.
    package struct Request: Sendable {
        /// 5, or 4 for 3.1.1.
        package let level: UInt8
        /// The connect flags (MQTT 5, section 3.1.2.3).
        package let flags: UInt8

        package var hasRetainedWill: Bool { flags & 0x24 == 0x24 }
    }

    package let port: UInt16
    /// The protocol levels that clients requested, written by the thread.
    private final class Seen: Sendable {
        let levels = Guarded<[UInt8]>([])
    }

    private let seen = Seen()
    private let stopping: EventCounter
    private var thread: Posix.Thread?

    /// Listens on a free port, and calls `react` for the reaction to a protocol level.
    ///
    /// - Parameter foreign: the answer to a request of HTTP.
    package convenience init(
        foreign: [UInt8] = [], _ react: @escaping @Sendable (_ level: UInt8) -> Reaction
    ) throws {
        try self.init(onPort: 0, foreign: foreign) { react($0.level) }
    }

    /// Listens on the port, or on a free one for 0, and calls `react` for the reaction to a CONNECT.
    package init(
        onPort number: UInt16, foreign: [UInt8] = [],
        _ react: @escaping @Sendable (Request) -> Reaction
    ) throws {
        BrokenPipes.ignore()
        let listener = try Sockets.listen(on: .tcp(host: "127.0.0.1", port: number))
        port = try Sockets.port(of: listener)
        stopping = try EventCounter()
        let number = dup(listener.rawValue)
        let stop = dup(stopping.descriptor.rawValue)
        thread = try Thread(name: "fake broker") { [seen] in
            let owned = Descriptor(owning: number)
            let stop = Descriptor(owning: stop)
            var kept: [CInt] = []
            while let caller = Self.next(on: owned, until: stop) {
                guard let request = Self.request(of: caller, until: stop) else {
                    try? caller.writeAll(foreign)
                    continue
                }
                seen.levels.withLock { $0.append(request.level) }
                switch react(request) {
                case .answer(let bytes):
                    try? caller.writeAll(bytes)
                    kept.append(dup(caller.rawValue))
                case .answerAndClose(let bytes): try? caller.writeAll(bytes)
                case .silence: kept.append(dup(caller.rawValue))
                case .serve(let bytes, let answer):
                    try? caller.writeAll(bytes)
                    Self.serve(caller, until: stop, answer)
                }
            }
            for number in kept { close(number) }
        }
    }

    deinit {
        stopping.signal()
        thread.take()?.join()
    }

    /// The protocol levels that clients requested, in order.
    package var levels: [UInt8] { seen.levels.withLock { $0 } }

    private static func next(
        on listener: borrowing Descriptor, until stop: borrowing Descriptor
    ) -> Descriptor? {
        let interests = [Poll.Interest(listener.rawValue), Poll.Interest(stop.rawValue)]
        while let ready = try? Poll.wait(for: interests), ready[1].isEmpty {
            if !ready[0].isEmpty { return try? Sockets.accept(on: listener) }
        }
        return nil
    }

    private static func serve(
        _ caller: borrowing Descriptor, until stop: borrowing Descriptor,
        _ answer: ([UInt8]) -> [UInt8]?
    ) {
        var bytes: [UInt8] = []
        let interests = [Poll.Interest(caller.rawValue), Poll.Interest(stop.rawValue)]
        while let ready = try? Poll.wait(for: interests), ready[1].isEmpty {
            var chunk = [UInt8](repeating: 0, count: 4096)
            let read = chunk.withUnsafeMutableBytes { try? caller.read(into: $0) }
            guard let count = read, count > 0 else { return }
            bytes += chunk.prefix(count)
            while let size = packetSize(bytes), bytes.count >= size {
                guard let reply = answer(Array(bytes.prefix(size))) else { return }
                try? caller.writeAll(reply)
                bytes.removeFirst(size)
            }
        }
    }

    /// The size of the packet that begins here: type, then a length of seven bits per byte (MQTT 5,
    /// section 1.5.5).
    private static func packetSize(_ bytes: [UInt8]) -> Int? {
        var length = 0
        for (index, byte) in bytes.dropFirst().prefix(4).enumerated() {
            length |= Int(byte & 0x7f) << (7 * index)
            if byte & 0x80 == 0 { return index + 2 + length }
        }
        return nil
    }

    /// Reads a CONNECT up to its flags: type, length, the name "MQTT", level, flags (MQTT 3.1.1, section 3.1).
    private static func request(
        of caller: borrowing Descriptor, until stop: borrowing Descriptor
    ) -> Request? {
        var bytes: [UInt8] = []
        let interests = [Poll.Interest(caller.rawValue), Poll.Interest(stop.rawValue)]
        while let ready = try? Poll.wait(for: interests), ready[1].isEmpty {
            var chunk = [UInt8](repeating: 0, count: 4096)
            let read = chunk.withUnsafeMutableBytes { try? caller.read(into: $0) }
            guard let count = read, count > 0 else { return nil }
            bytes += chunk.prefix(count)
            // HEAD: a client that gets no answer to CONNECT asks for HTTP.
            if bytes[0] == UInt8(ascii: "H") { return nil }
            let length = bytes.dropFirst().prefix { $0 & 0x80 != 0 }.count + 1
            if bytes.count >= 9 + length {
                return Request(level: bytes[7 + length], flags: bytes[8 + length])
            }
        }
        return nil
    }
}

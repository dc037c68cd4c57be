import Glibc

/// Messages over a stream socket. A message is its length in four bytes, the lowest first, and its bytes.
///
/// No call waits. Unsent bytes stay in a buffer until the next `flush`.
package final class FrameStream {
    /// A peer that announces a longer message is broken.
    package static let maxBytes = 16 << 20
    private static let lengthBytes = 4
    private static let readBytes = 1 << 16
    /// The bytes of one `receive`, so that a fast peer does not hold the caller.
    private static let receiveBytes = 1 << 20

    private let socket: Descriptor
    private var input: [UInt8] = []
    private var output: [UInt8] = []
    /// The number of bytes of `output` that are sent.
    private var sent = 0
    /// Whether the peer has closed its end, or broken the format.
    package private(set) var isAtEnd = false

    package init(_ socket: consuming Descriptor) { self.socket = socket }

    package var descriptor: CInt { socket.rawValue }

    /// The bytes of the buffer: at most twice as many as wait, after `flush`.
    var bufferedBytes: Int { output.count }

    /// The number of bytes that wait for `flush`.
    package var unsent: Int { output.count - sent }

    /// The events to wait for: input, and room for unsent bytes.
    package var interest: Poll.Interest {
        Poll.Interest(descriptor, unsent > 0 ? [.input, .output] : .input)
    }

    /// Adds a message to the unsent bytes.
    package func send(_ message: [UInt8]) {
        let length = UInt32(clamping: message.count)
        for shift in stride(from: UInt32(0), to: 32, by: 8) {
            output.append(UInt8(truncatingIfNeeded: length >> shift))
        }
        output.append(contentsOf: message)
    }

    /// Sends as much as the socket takes.
    package func flush() {
        while unsent > 0, !isAtEnd {
            let (offset, count) = (sent, unsent)
            let result = output.withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress.map { $0 + offset }, count, CInt(MSG_NOSIGNAL))
            }
            guard result >= 0 else {
                let error = Errno.current
                if error == .interrupted { continue }
                if error != .wouldBlock { isAtEnd = true }
                break
            }
            sent += result
        }
        if unsent == 0 {
            (output, sent) = ([], 0)
        } else if sent > unsent {
            output.removeFirst(sent)
            sent = 0
        }
    }

    /// Sends all, and waits where the socket is full (poll(2)).
    package func flushAll() throws(Errno) {
        flush()
        while unsent > 0, !isAtEnd {
            _ = try Poll.wait(for: [Poll.Interest(descriptor, .output)])
            flush()
        }
    }

    /// The messages that have arrived.
    package func receive() -> [[UInt8]] {
        var total = 0
        while total < Self.receiveBytes, !isAtEnd {
            let number = descriptor
            let (result, bytes) = withUnsafeTemporaryAllocation(
                byteCount: Self.readBytes, alignment: 1
            ) { buffer in
                let result = Descriptor.read(number, into: buffer)
                let count = (try? result.get()) ?? 0
                return (result, Array(buffer.prefix(count)))
            }
            switch result {
            case .success(nil): return takeMessages()
            case .success(0?), .failure: isAtEnd = true
            case .success(let count?):
                input += bytes
                total += count
            }
            // A short read has emptied the socket.
            if bytes.count < Self.readBytes { break }
        }
        return takeMessages()
    }

    private func takeMessages() -> [[UInt8]] {
        var messages: [[UInt8]] = []
        var start = 0
        while input.count - start >= Self.lengthBytes {
            var length = 0
            for index in 0..<Self.lengthBytes { length |= Int(input[start + index]) << (8 * index) }
            guard length <= Self.maxBytes else {
                isAtEnd = true
                break
            }
            let begin = start + Self.lengthBytes
            guard input.count - begin >= length else { break }
            messages.append(Array(input[begin..<begin + length]))
            start = begin + length
        }
        if start > 0 { input.removeFirst(start) }
        return messages
    }
}

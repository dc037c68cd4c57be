import Posix

/// The uplink's end of the connection to the radio's process.
package final class UplinkPort {
    private let stream: FrameStream
    /// Messages that arrived with the first one.
    private var early: [[UInt8]] = []
    /// The number of batches passed on.
    private(set) var received: UInt64 = 0
    /// Whether the radio's process is gone.
    var isAtEnd: Bool { stream.isAtEnd }
    var interest: Poll.Interest { Poll.Interest(stream.descriptor) }

    package init(_ socket: consuming Descriptor) { stream = FrameStream(socket) }

    /// Passes on the messages that have arrived. A malformed one is left out.
    func take(_ handle: (UplinkMessage) -> Void) {
        let messages = early + stream.receive()
        early = []
        for bytes in messages {
            if let message = try? UplinkMessage(decoding: bytes) { handle(message) }
            // An account that counts a batch says whether the outbox holds it: the outbox must have it by then.
            if UplinkMessage.isBatch(bytes) { received += 1 }
        }
    }

    /// Waits for the first message.
    func takeStart() -> UplinkStart? {
        while !stream.isAtEnd {
            _ = try? Poll.wait(for: [interest])
            let messages = stream.receive()
            guard let first = messages.first else { continue }
            early = Array(messages.dropFirst())
            return try? UplinkStart(decoding: first)
        }
        return nil
    }

    /// Sends a message. Waits while the radio's process reads nothing.
    func post(_ reply: UplinkReply) {
        stream.send(reply.encoded)
        // Without a radio's process the message has no reader.
        try? stream.flushAll()
    }
}

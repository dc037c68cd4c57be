import Glibc
import TestVectors
import Testing

@testable import Posix

@Suite("frame stream")
struct FrameStreamTests {
    /// A stream, and the descriptor of its peer.
    private static func pair() throws -> (FrameStream, CInt) {
        let (ours, theirs) = try Sockets.pair()
        return (FrameStream(Descriptor(owning: ours)), theirs)
    }

    @Test("a message has its length before it, the lowest byte first")
    func format() throws {
        let (stream, number) = try Self.pair()
        let peer = Descriptor(owning: number)
        stream.send([0xaa, 0xbb])
        stream.send([])
        stream.flush()
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = try bytes.withUnsafeMutableBytes { try peer.read(into: $0) }
        #expect(Array(bytes.prefix(count ?? 0)) == [2, 0, 0, 0, 0xaa, 0xbb, 0, 0, 0, 0])
    }

    @Test("messages arrive in order, however their bytes are divided", arguments: UInt64(0)..<20)
    func divided(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var messages: [[UInt8]] = []
        var bytes: [UInt8] = []
        for _ in 0..<20 {
            let count = Int.random(in: 0...300, using: &random)
            let message = [UInt8](
                repeating: .random(in: .min ... .max, using: &random), count: count)
            messages.append(message)
            bytes += [UInt8(count & 0xff), UInt8(count >> 8), 0, 0] + message
        }
        let (stream, number) = try Self.pair()
        let peer = Descriptor(owning: number)
        var received: [[UInt8]] = []
        while !bytes.isEmpty {
            let count = Int.random(in: 1...min(500, bytes.count), using: &random)
            try peer.writeAll(Array(bytes.prefix(count)))
            bytes.removeFirst(count)
            received += stream.receive()
        }
        #expect(received == messages)
        #expect(!stream.isAtEnd)
    }

    @Test("more than the socket takes waits for the peer to read")
    func full() throws {
        let (ours, theirs) = try Sockets.pair()
        let stream = FrameStream(Descriptor(owning: ours))
        let peer = FrameStream(Descriptor(owning: theirs))
        let message = [UInt8](repeating: 7, count: 1 << 20)
        for _ in 0..<3 { stream.send(message) }
        stream.flush()
        #expect(stream.unsent > 0)
        #expect(stream.interest.events.contains(.output))
        var received: [[UInt8]] = []
        while received.count < 3 {
            received += peer.receive()
            stream.flush()
        }
        #expect(received == [message, message, message])
        #expect(stream.unsent == 0)
    }

    @Test("a peer that is always behind does not let the buffer grow")
    func lagging() throws {
        let (ours, theirs) = try Sockets.pair()
        let stream = FrameStream(Descriptor(owning: ours))
        let peer = FrameStream(Descriptor(owning: theirs))
        let message = [UInt8](repeating: 7, count: 1 << 16)
        while stream.unsent == 0 {
            stream.send(message)
            stream.flush()
        }
        var received = 0
        for _ in 0..<200 {
            // Always more than the socket takes.
            while stream.unsent < 1 << 20 { stream.send(message) }
            received += peer.receive().count
            stream.flush()
            #expect(stream.bufferedBytes <= 4 << 20)
        }
        #expect(received > 100)
    }

    @Test(
        "a message of 16 MiB is the longest",
        arguments: [
            ([0, 0, 0, 1], false), ([1, 0, 0, 1], true), ([0, 0, 0, 4], true),
        ] as [([UInt8], Bool)])
    func longest(length: [UInt8], isRefused: Bool) throws {
        let (stream, number) = try Self.pair()
        let peer = Descriptor(owning: number)
        try peer.writeAll(length)
        #expect(stream.receive() == [])
        #expect(stream.isAtEnd == isRefused)
    }

    @Test("a length beyond the limit, and a closed peer, end the stream")
    func ends() throws {
        let (stream, number) = try Self.pair()
        let peer = Descriptor(owning: number)
        try peer.writeAll([0xff, 0xff, 0xff, 0xff, 0])
        #expect(stream.receive() == [])
        #expect(stream.isAtEnd)
        let (other, gone) = try Self.pair()
        try Descriptor.writeAll([1, 0, 0, 0, 9], to: gone)
        close(gone)
        #expect(other.receive() == [[9]])
        _ = other.receive()
        #expect(other.isAtEnd)
    }
}

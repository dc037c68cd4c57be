import Beacons
import Dispatch
import HCI
import Posix
import Primitives
import TestVectors
import Testing

@testable import Radio

@Suite struct StreamTransportTests {
    private static let source = ControllerSource.h4(.unix(path: "test"))
    private static let event = hex("0e 04 01 03 0c 00")
    private static let report = Advertisements.legacyEvent(
        Advertisements.legacyReport(Advertisements.iBeacon(7)))
    private static let acl = hex("02 40 00 03 00 aa bb cc")

    /// A transport, and the controller's end of its stream.
    private static func pair() throws -> (transport: StreamTransport, far: FarEnd) {
        let (near, far) = try Sockets.pair()
        return (
            StreamTransport(Descriptor(owning: near), source: source),
            FarEnd(Descriptor(owning: far))
        )
    }

    /// Keeps the controller's end open.
    private final class FarEnd {
        private let descriptor: Descriptor

        init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

        func write(_ bytes: [UInt8]) throws { try descriptor.writeAll(bytes) }

        func read() throws -> [UInt8] {
            var buffer = [UInt8](repeating: 0, count: 4096)
            let number = descriptor.rawValue
            let result = buffer.withUnsafeMutableBytes { Descriptor.read(number, into: $0) }
            return Array(buffer.prefix(try result.get() ?? 0))
        }
    }

    private static func receive(_ transport: StreamTransport) throws -> [[UInt8]] {
        var packets: [[UInt8]] = []
        _ = try transport.receive { _, packet, _ in packets.append(packet.copied()) }
        return packets
    }

    @Test("packets that are split at any byte are joined")
    func split() throws {
        let events = [Self.event, Self.report, Self.event].map { [0x04] + $0 }
        let stream: [UInt8] = Array([events[0], Self.acl, events[1], events[2]].joined())
        for cut in 1..<stream.count {
            let (transport, far) = try Self.pair()
            try far.write(Array(stream[..<cut]))
            var packets = try Self.receive(transport)
            try far.write(Array(stream[cut...]))
            packets += try Self.receive(transport)
            #expect(packets == [Self.event, Self.report, Self.event], "cut at \(cut)")
        }
    }

    @Test("packets that arrive byte by byte are joined")
    func byteByByte() throws {
        let (transport, far) = try Self.pair()
        var packets: [[UInt8]] = []
        let stream: [UInt8] = Array([[0x04], Self.report, [0x04], Self.event].joined())
        for byte in stream {
            try far.write([byte])
            packets += try Self.receive(transport)
        }
        #expect(packets == [Self.report, Self.event])
        #expect(try Self.receive(transport).isEmpty)
    }

    @Test("input above the buffer's size arrives completely")
    func flood() throws {
        let (transport, far) = try Self.pair()
        let longest = hex("02 40 00 ff ff") + [UInt8](repeating: 0x04, count: 65535)
        var events = 0
        for _ in 0..<4 {
            try far.write(Array(longest.prefix(40_000)))
            events += try Self.receive(transport).count
            try far.write(Array(longest.dropFirst(40_000)) + [0x04] + Self.event)
            events += try Self.receive(transport).count
            events += try Self.receive(transport).count
        }
        #expect(events == 4)
    }

    @Test("a drain reads all queued input, also more than the buffer's size")
    func drains() throws {
        let (transport, far) = try Self.pair()
        // A pair of sockets holds about 200 KB, and the buffer 128 KiB.
        let count = 16_000
        try far.write(Array([[UInt8]](repeating: [0x04] + Self.event, count: count).joined()))
        var events = 0
        _ = try transport.drain { _, _, arrival in
            events += 1
            #expect(arrival == nil)
        }
        #expect(events == count)
    }

    @Test("commands are sent as H4 packets")
    func sends() throws {
        let (transport, far) = try Self.pair()
        try transport.send(.reset)
        try transport.send(.scanEnable(true, .legacy))
        #expect(try far.read() == hex("01 03 0c 00 01 0c 20 02 01 00"))
    }

    @Test("a stream that has lost its framing is a failure, after its valid packets")
    func outOfStep() throws {
        let (transport, far) = try Self.pair()
        try far.write([0x04] + Self.event + Array("HTTP/1.1".utf8))
        var packets = 0
        #expect {
            _ = try transport.receive { _, _, _ in packets += 1 }
        } throws: {
            ($0 as? RadioFailure)?.kind == .outOfStep
        }
        #expect(packets == 1)
    }

    @Test("a stream that loses bytes is not called one without HCI")
    func lostBytes() throws {
        let (transport, far) = try Self.pair()
        try far.write([0x04] + Self.event)
        #expect(try Self.receive(transport) == [Self.event])
        try far.write(Array(Self.event.dropFirst(2)) + [0x77])
        #expect {
            _ = try Self.receive(transport)
        } throws: {
            ($0 as? RadioFailure)?.sentence.contains("has lost bytes") == true
        }
    }

    @Test("a controller that closes the stream is lost, after its last packets")
    func closes() throws {
        let (near, far) = try Sockets.pair()
        let transport = StreamTransport(Descriptor(owning: near), source: Self.source)
        let end = Descriptor(owning: far)
        try end.writeAll([0x04] + Self.event)
        end.close()
        #expect(try Self.receive(transport) == [Self.event])
        #expect { try Self.receive(transport) } throws: {
            ($0 as? RadioFailure)?.kind == .lost
        }
    }

    @Test("it connects to a listener, and reports a missing one")
    func connects() throws {
        let listener = try Sockets.listen(on: .tcp(host: "127.0.0.1", port: 0))
        let port = try Sockets.port(of: listener)
        let address = Sockets.Address.tcp(host: "127.0.0.1", port: port)
        let transport = try StreamTransport(connectingTo: address)
        #expect(transport.descriptors.count == 1 && transport.isExclusive && transport.drops == 0)
        listener.close()
        #expect { try StreamTransport(connectingTo: .unix(path: "/nonexistent/socket")) } throws: {
            ($0 as? RadioFailure)?.kind == .unreachable
        }
    }

    @Test("a resolver that does not answer delays an attempt by its limit only")
    func silentResolver() throws {
        let listener = try Sockets.listen(on: .tcp(host: "127.0.0.1", port: 0))
        let address = Sockets.Address.tcp(
            host: "radio.example", port: try Sockets.port(of: listener))
        let gate = DispatchSemaphore(value: 0)
        let asked = Guarded(0)
        let lookup = HostLookup { _, port in
            asked.withLock { $0 += 1 }
            // A resolver on the caller's thread would keep it that long.
            _ = gate.wait(timeout: .now() + 35)
            return Sockets.resolve("127.0.0.1", port)
        }
        let start = Instant.now
        for _ in 0..<2 {
            #expect {
                try StreamTransport(connectingTo: address, lookup: lookup)
            } throws: {
                ($0 as? RadioFailure)?.kind == .unreachable
            }
        }
        #expect(Instant.now - start < .seconds(30))
        gate.signal()
        // The late answer serves the next attempt, after a machine under load has delivered it.
        var transport: StreamTransport?
        let deadline = Instant.now + .seconds(60)
        while transport == nil, Instant.now < deadline {
            transport = try? StreamTransport(connectingTo: address, lookup: lookup)
        }
        #expect(transport != nil)
        #expect(asked.withLock { $0 } == 1)
    }

    @Test("a numeric address needs no resolver", arguments: ["127.0.0.1", "::1"])
    func numeric(host: String) throws {
        let lookup = HostLookup { _, _ in
            Issue.record("the resolver was asked")
            return []
        }
        #expect(try lookup.addresses(of: host, port: 1)?.count == 1)
    }
}

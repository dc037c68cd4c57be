import Foundation
import Glibc
import Testing

@testable import Posix

@Suite struct SocketsTests {
    /// Connects to a listener, sends a word each way, and closes.
    private static func converse(
        _ listener: borrowing Descriptor, _ address: Sockets.Address
    ) throws {
        let early = try Sockets.accept(on: listener)
        if early != nil { Issue.record("accepted a connection before a client connected") }
        let caller = try Sockets.connect(to: address)
        _ = try Poll.wait(for: [Poll.Interest(listener.rawValue)], timeout: 10_000)
        guard let callee = try Sockets.accept(on: listener) else {
            Issue.record("no connection to accept")
            return
        }
        for descriptor in [caller.rawValue, callee.rawValue, listener.rawValue] {
            #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0)
            #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        }
        #expect(try read(callee) == nil)
        try caller.writeAll([1, 2, 3])
        _ = try Poll.wait(for: [Poll.Interest(callee.rawValue)], timeout: 10_000)
        #expect(try read(callee) == [1, 2, 3])
        caller.close()
        _ = try Poll.wait(for: [Poll.Interest(callee.rawValue)], timeout: 10_000)
        #expect(try read(callee) == [])
    }

    /// The received bytes: `nil` when there are none yet, empty at the end.
    private static func read(_ descriptor: borrowing Descriptor) throws -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let number = descriptor.rawValue
        let result = buffer.withUnsafeMutableBytes { Descriptor.read(number, into: $0) }
        return try result.get().map { Array(buffer[..<$0]) }
    }

    @Test("TCP connects to a port that the kernel chose", arguments: ["127.0.0.1", "localhost"])
    func tcp(host: String) throws {
        let listener = try Sockets.listen(on: .tcp(host: host, port: 0))
        let port = try Sockets.port(of: listener)
        #expect(port != 0)
        try Self.converse(listener, .tcp(host: host, port: port))
    }

    @Test("a Unix socket connects, and its path is checked")
    func unix() throws {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("sl-\(UUID().uuidString)").path
        defer { unlink(path) }
        let listener = try Sockets.listen(on: .unix(path: path))
        try Self.converse(listener, .unix(path: path))
        #expect(throws: Errno(rawValue: EADDRINUSE)) { try Self.listen(.unix(path: path)) }
        let long = "/" + String(repeating: "x", count: 107)
        #expect(throws: Errno(rawValue: ENAMETOOLONG)) { try Self.connect(.unix(path: long)) }
        #expect(throws: Errno.noSuchFile) {
            try Self.connect(.unix(path: "/" + String(repeating: "x", count: 100)))
        }
    }

    @Test("without a listener the connection is refused")
    func refused() throws {
        let listener = try Sockets.listen(on: .tcp(host: "127.0.0.1", port: 0))
        let port = try Sockets.port(of: listener)
        listener.close()
        #expect(throws: Errno.connectionRefused) {
            try Self.connect(.tcp(host: "127.0.0.1", port: port))
        }
        #expect(throws: Errno(rawValue: EHOSTUNREACH)) {
            try Self.connect(.tcp(host: "no such name", port: 1))
        }
    }

    @Test("writing to a closed peer is an error, not the end of the process")
    func brokenPipe() throws {
        signal(SIGPIPE, SIG_IGN)
        let (one, other) = try Sockets.pair()
        let near = Descriptor(owning: one)
        Descriptor(owning: other).close()
        #expect(throws: Errno.brokenPipe) { try Self.write(near.rawValue) }
    }

    @Test("writing waits for a slow reader")
    func slow() throws {
        let (one, other) = try Sockets.pair()
        let near = Descriptor(owning: one)
        let reader = try Thread(name: "reader") {
            let far = Descriptor(owning: other)
            var total = 0
            while let bytes = try? Self.waitAndRead(far), !bytes.isEmpty { total += bytes.count }
            #expect(total == 4_000_000)
        }
        try near.writeAll([UInt8](repeating: 7, count: 4_000_000))
        near.close()
        reader.join()
    }

    private static func waitAndRead(_ descriptor: borrowing Descriptor) throws -> [UInt8] {
        while true {
            if let bytes = try read(descriptor) { return bytes }
            _ = try Poll.wait(for: [Poll.Interest(descriptor.rawValue)], timeout: 10_000)
        }
    }

    @Test("addresses print as on the command line")
    func describes() {
        #expect("\(Sockets.Address.unix(path: "/run/x"))" == "unix:/run/x")
        #expect("\(Sockets.Address.tcp(host: "::1", port: 80))" == "tcp:::1:80")
    }

    // An expectation can't return a descriptor.
    private static func connect(_ address: Sockets.Address) throws {
        _ = try Sockets.connect(to: address)
    }

    private static func listen(_ address: Sockets.Address) throws {
        _ = try Sockets.listen(on: address)
    }

    private static func write(_ number: CInt) throws {
        let copy = Descriptor(owning: dup(number))
        try copy.writeAll([1])
    }
}

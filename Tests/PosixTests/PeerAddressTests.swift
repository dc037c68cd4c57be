import Posix
import TestSupport
import Testing

@Suite struct PeerAddressTests {
    /// RFC 4291, section 2.5.4: the interface identifier is the lower half.
    @Test(
        "addresses of one network share a group",
        arguments: [
            ("192.0.2.7", "192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:DB8::7", "2001:db8::7", "2001:db8::/64"),
            ("::ffff:192.0.2.7", "192.0.2.7", "192.0.2.7"), ("::1", "::1", "::/64"),
        ])
    func groups(_ text: String, _ description: String, _ group: String) throws {
        let address = try #require(PeerAddress(text))
        #expect(address.description == description)
        #expect(address.group == group)
        #expect(!address.isUnix)
        #expect(address.isLocal == (text == "::1"))
    }

    @Test(
        "anything else is no address",
        arguments: ["", "unix", "192.0.2", "192.0.2.256", "localhost", "1::2::3", "fe80::1%lo"])
    func noAddress(_ text: String) { #expect(PeerAddress(text) == nil) }

    @Test("an accepted caller has its address", arguments: ["127.0.0.1", "::1"])
    func caller(_ host: String) throws {
        let listener = try Sockets.listen(on: .tcp(host: host, port: 0))
        let none = try Sockets.acceptCaller(on: listener.rawValue) == nil
        #expect(none)
        let port = try Sockets.port(of: listener)
        let client = try Sockets.connect(to: .tcp(host: host, port: port))
        let interest = Poll.Interest(listener.rawValue)
        _ = try Poll.wait(for: [interest], timeout: Deadline().milliseconds)
        guard let caller = try Sockets.acceptCaller(on: listener.rawValue) else {
            Issue.record("nobody called")
            return
        }
        #expect(caller.address.description == host)
        caller.close(writing: Array("go".utf8))
        _ = try Poll.wait(for: [Poll.Interest(client.rawValue)], timeout: Deadline().milliseconds)
        #expect(try File.contents(of: client, maxBytes: 10) == Array("go".utf8))
    }

    @Test("an abandoned socket's file is removed, another's is not")
    func abandoned() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("socket")
        func listen() throws { _ = try Sockets.listen(on: .unix(path: path)) }
        try listen()
        Sockets.removeAbandoned(path)
        let listener = try Sockets.listen(on: .unix(path: path), mode: 0o600)
        #expect(try FilePermissions(of: path).mode & 0o777 == 0o600)
        Sockets.removeAbandoned(path)
        #expect(try FilePermissions(of: path).mode & 0o777 == 0o600)
        _ = consume listener
    }

    @Test("a file that is no socket is not removed")
    func otherFile() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("kept", to: "file")
        Sockets.removeAbandoned(path)
        #expect(try FilePermissions(of: path).isFile)
    }
}

import Foundation
import Posix
import Primitives
import TestSupport
import Testing

extension BrokerTests {
    @Suite("the server reads its file of tokens again on SIGHUP")
    struct ServerTokensTests {
        private static func file(_ tokens: [String]) -> String {
            let list = tokens.map {
                let digest = Hexadecimal.text(SHA256Digest(of: Array($0.utf8)).bytes)
                return #"{"name": "\#($0)", "scope": "read", "sha256": "\#(digest)"}"#
            }
            return #"{"tokens": [\#(list.joined(separator: ","))]}"#
        }

        @Test("a revoked token loses its stream and opens nothing; a faulty file changes nothing")
        func revocation() throws {
            let folder = try TemporaryFolder()
            let broker = try Broker()
            let (socket, tokens) = (folder.file("http"), folder.file("tokens.json"))
            try folder.write(Self.file(["wall", "office"]), to: "tokens.json")
            try folder.write(
                #"""
                {"mqtt": {"host": "127.0.0.1", "port": \#(broker.port)},
                 "http": {"listen": "unix:\#(socket)", "tokens": "\#(tokens)", "public": false},
                 "stateDirectory": "\#(folder.file("state"))",
                 "sites": [{"site": "s", "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}]}]}
                """#, to: "server.json")
            let program = try #require(BuiltProgram.find("sightline-server"))
            let server = try ChildProcess(
                program, ["--config", folder.file("server.json")], environment: [:])
            #expect(server.waitForLine { $0.contains("MQTT connected") } != nil)
            let stream = try Exchange("/api/v1/stream", token: "wall", at: socket)
            #expect(try stream.read(to: "event: snapshot").contains("200 OK"))
            func answer(to token: String) throws -> String {
                String(try Exchange("/metrics", token: token, at: socket).read().prefix(12))
            }
            try folder.write("{", to: "tokens.json")
            server.send(SIGHUP)
            #expect(server.waitForLine { $0.contains("configuration unchanged") } != nil)
            #expect(try answer(to: "wall") == "HTTP/1.1 200")
            try folder.write(Self.file(["office"]), to: "tokens.json")
            server.send(SIGHUP)
            #expect(server.waitForLine { $0.contains("configuration read again") } != nil)
            _ = try stream.read()
            #expect(try answer(to: "wall") == "HTTP/1.1 401")
            #expect(try answer(to: "office") == "HTTP/1.1 200")
            server.send(SIGTERM)
            #expect(server.waitForExit() == 0)
        }
    }
}

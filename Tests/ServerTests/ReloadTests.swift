import Configuration
import HTTP
import Logging
import Primitives
import ServerConfiguration
import TestSupport
import Testing

@testable import Server

@Suite("a reload of the configuration")
struct ReloadTests {
    private func text(root: String, privacy: String, sites: [String]) -> String {
        let sites = sites.map {
            #"{"site": "\#($0)", "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}]}"#
        }
        return #"""
            {"mqtt": {"host": "b", "root": "\#(root)"}, "privacy": "\#(privacy)",
             "sites": [\#(sites.joined(separator: ","))]}
            """#
    }

    /// The reload of a server that began with `text`.
    private func serverReload(of text: String, in folder: TemporaryFolder) throws -> ServerReload {
        let configuration = try ServerConfiguration(parsing: Array(text.utf8))
        return ServerReload(
            configuration, try ServerFiles(configuration, of: "", needsCertificates: false),
            path: folder.file("server.json"))
    }

    @Test("keys that need a restart stay in force, also for an added site")
    func restart() throws {
        let folder = try TemporaryFolder()
        let first = text(root: "a", privacy: "day", sites: ["s"])
        try folder.write(
            text(root: "b", privacy: "counts", sites: ["s", "t"]), to: "server.json")
        var reload = try serverReload(of: first, in: folder)
        for hasOtherSites in [true, false] {
            let read = reload.read(log: Log(level: .error))
            let change = try #require(read)
            #expect(change.hasOtherSites == hasOtherSites)
            for configuration in [change.configuration, reload.configuration] {
                #expect(configuration.topicRoot == "a")
                #expect(configuration.privacy == .day)
                #expect(configuration.sites.map(\.site) == ["s", "t"])
            }
        }
    }

    @Test("a file of certificates for the webhook that can't be read is a fault")
    func webhookCertificates() throws {
        let folder = try TemporaryFolder()
        let first = text(root: "a", privacy: "day", sites: ["s"])
        var reload = try serverReload(of: first, in: folder)
        let path = folder.file("ca.pem")
        let more = #"{"webhook": {"url": "https://a.example/", "caFile": "\#(path)"},"#
        let second: String = more + String(first.drop { $0 != "{" }.dropFirst())
        try folder.write(second, to: "server.json")
        #expect(reload.read(log: Log(level: .error)) == nil)
        let configuration = try ServerConfiguration.load(path: folder.file("server.json"))
        do throws(ConfigurationError) {
            _ = try ServerFiles(configuration, of: "f", needsCertificates: false)
            Issue.record("the server would start")
        } catch {
            #expect(error.lines.count == 1)
            #expect(
                error.lines.first?.hasPrefix("f: /webhook/caFile: \(path) can't be used") == true)
        }
    }

    private func text(listen: String, tokens: String?) -> String {
        let tokens = tokens.map { #", "tokens": "\#($0)""# } ?? ""
        return #"""
            {"mqtt": {"host": "b"}, "http": {"listen": "\#(listen)"\#(tokens)},
             "sites": [{"site": "s", "queues": [{"queue": "q", "entry": ["e"], "till": ["t"]}]}]}
            """#
    }

    /// A file of tokens with these names.
    private func file(_ names: [String]) -> String {
        let tokens = names.map {
            let digest = Hexadecimal.text(SHA256Digest(of: Array($0.utf8)).bytes)
            return #"{"name": "\#($0)", "scope": "read", "sha256": "\#(digest)"}"#
        }
        return #"{"tokens": [\#(tokens.joined(separator: ","))]}"#
    }

    @Test("the file of tokens is read again, and a faulty one leaves everything unchanged")
    func tokens() throws {
        let folder = try TemporaryFolder()
        let configuration = text(listen: "0.0.0.0:8480", tokens: folder.file("tokens.json"))
        try folder.write(configuration, to: "server.json")
        try folder.write(file([]), to: "tokens.json")
        var reload = try serverReload(of: configuration, in: folder)
        for names in [["wall", "office"], ["office"], []] {
            try folder.write(file(names), to: "tokens.json")
            let change = reload.read(log: Log(level: .error))
            #expect(change?.policy.tokens.tokens.map(\.name) == names)
            #expect(change?.policy.anonymous == .public)
        }
        try folder.write("{", to: "tokens.json")
        let change = reload.read(log: Log(level: .silent))
        #expect(change == nil)
    }

    @Test("an address that other machines can reach keeps its tokens until the restart")
    func reachable() throws {
        let folder = try TemporaryFolder()
        let first = text(listen: "0.0.0.0:8480", tokens: folder.file("tokens.json"))
        try folder.write(file([]), to: "tokens.json")
        try folder.write(text(listen: "127.0.0.1:8480", tokens: nil), to: "server.json")
        var reload = try serverReload(of: first, in: folder)
        let change = reload.read(log: Log(level: .silent))
        #expect(change == nil)
        #expect(reload.configuration.http.tokens != nil)
    }
}

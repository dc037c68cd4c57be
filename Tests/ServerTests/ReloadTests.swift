import Logging
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

    @Test("keys that need a restart stay in force, also for an added site")
    func restart() throws {
        let folder = try TemporaryFolder()
        let first = text(root: "a", privacy: "day", sites: ["s"])
        try folder.write(
            text(root: "b", privacy: "counts", sites: ["s", "t"]), to: "server.json")
        var reload = ServerReload(
            try ServerConfiguration(parsing: Array(first.utf8)), path: folder.file("server.json"))
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
}

import JSON
import ServerConfiguration
import TestSupport
import Testing

@testable import Server

@Suite("first configuration")
struct FirstConfigurationTests {
    @Test(
        "roles are guessed from names",
        arguments: [
            ("entry-1", "entry"), ("Eingang.2", "entry"), ("till_3", "till"), ("POS-1", "till"),
            ("aisle", "along"),
        ])
    func roles(name: String, role: String) {
        #expect(FirstConfiguration.Role(guessedFrom: name).rawValue == role)
    }

    @Test("an empty file of the package is replaced, and no other one")
    func place() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("server.json")
        #expect(InitCommand.isFree(path))
        try folder.write("", to: "server.json")
        #expect(InitCommand.isFree(path))
        try folder.write("{}", to: "server.json")
        #expect(!InitCommand.isFree(path))
    }

    @Test("the file is a valid configuration")
    func valid() throws {
        let first = FirstConfiguration([
            ("s", "till-1"), ("s", "entry-1"), ("s", "entry-1"), ("t", "door"), ("t", "kasse"),
        ])
        let text = first.text(mqtt: ["host": "broker.example", "port": 8883])
        let configuration = try ServerConfiguration(parsing: Array(text.utf8))
        #expect(configuration.sites.map(\.site) == ["s", "t"])
        #expect(configuration.sites[0].queues[0].entry == ["entry-1"])
        #expect(configuration.sites[1].queues[0].till == ["kasse"])
        #expect(first.incomplete.isEmpty)
    }

    @Test("a site without a till is named")
    func incomplete() {
        #expect(FirstConfiguration([("s", "entry-1")]).incomplete == ["s"])
        #expect(FirstConfiguration([]).isEmpty)
    }
}

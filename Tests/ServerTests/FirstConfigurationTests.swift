import JSON
import MQTT
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
        let first = FirstConfiguration(
            [("s", "till-1"), ("s", "entry-1"), ("t", "door"), ("t", "kasse")]
                .map { DiscoveredGateway(site: $0, name: $1) })
        let text = first.text(mqtt: ["host": "broker.example", "port": 8883])
        let configuration = try ServerConfiguration(parsing: Array(text.utf8))
        #expect(configuration.sites.map(\.site) == ["s", "t"])
        #expect(configuration.sites[0].queues[0].entry == ["entry-1"])
        #expect(configuration.sites[1].queues[0].till == ["kasse"])
        #expect(first.lacks.isEmpty)
    }

    @Test(
        "the server has the name of its only site, else that of the machine",
        arguments: [
            (["s"], "pi", "s"), (["s", "t"], "pi", "pi"), (["s", "t"], "pi.shop.example", "pi"),
            (["s", "t"], "localhost", nil), (["s", "t"], "", nil), (["s", "t"], "a b", nil),
        ])
    func id(sites: [String], machine: String, id: String?) throws {
        let first = FirstConfiguration(
            sites.flatMap { site in
                ["entry", "till"].map { DiscoveredGateway(site: site, name: $0) }
            })
        #expect(first.id(machine: machine) == id)
        let text = first.text(id: id, mqtt: ["host": "broker.example"])
        let configuration = try ServerConfiguration(parsing: Array(text.utf8))
        #expect(configuration.id == id ?? "server")
    }

    @Test("a site without a till is named, also in the file, and has no other fault")
    func incomplete() {
        let first = FirstConfiguration([DiscoveredGateway(site: "s", name: "entry-1")])
        let lack = "s: the queue has no gateway in “till”"
        #expect(first.lacks == [lack])
        let text = first.text(mqtt: ["host": "broker.example"])
        #expect(text.contains("    // To do: \(lack).\n    {\"site\":\"s\""), "\(text)")
        do throws(Faults) {
            _ = try ServerConfiguration(parsing: Array(text.utf8))
            Issue.record("the file was read")
        } catch {
            #expect(error.list.map { "\($0.pointer)" } == ["/sites/0/queues/0/till"])
        }
        #expect(FirstConfiguration([]).isEmpty)
    }

    private static let uuid = "f7826da6-4fa2-4e98-8024-bc5b71e0893e"

    /// What the discovery finds in these messages, by the names of the topics below the root.
    private func discovered(_ messages: [(topic: String, payload: String)]) -> [DiscoveredGateway] {
        var discovery = GatewayDiscovery(root: "sightline/v1")
        for (topic, payload) in messages {
            let message = Message(topic: "sightline/v1/" + topic, payload: Array(payload.utf8))
            _ = discovery.on(.broker(.message(message)), at: .now)
        }
        return discovery.gateways
    }

    private func report(_ advertise: String) -> String {
        #"{"v":1,"session":"a","versions":{},"status":"applied","errors":[],"#
            + #""effective":{"advertise":\#(advertise)},"radio":{"advertising":true}}"#
    }

    private func advertising(_ major: Int, _ minor: Int) -> String {
        report(#"{"enabled":true,"uuid":"\#(Self.uuid)","major":\#(major),"minor":\#(minor)}"#)
    }

    @Test("the beacons that gateways advertise themselves are of no visitors")
    func beacons() throws {
        let first = FirstConfiguration(
            discovered([
                ("s/till-1/status", "{}"), ("s/entry-1/config/reported", advertising(42, 7)),
                ("s/entry-1/status", "{}"), ("s/till-1/config/reported", advertising(42, 8)),
                ("s/till-2/status", "{}"), ("s/till-2/config/reported", advertising(42, 10)),
                ("s/aisle/status", "{}"),
                ("s/aisle/config/reported", report(#"{"enabled":false}"#)),
                // A gateway without a status has never been there.
                ("s/ghost/config/reported", advertising(1, 1)),
                ("t/entry/status", "{}"), ("t/till/status", "{}"), ("t/till/config/reported", "no"),
            ]))
        let text = first.text(mqtt: ["host": "broker.example"])
        let configuration = try ServerConfiguration(parsing: Array(text.utf8))
        let ranges = configuration.sites[0].beacons.gateway
        #expect(ranges.map { $0.uuid?.description } == [Self.uuid, Self.uuid])
        #expect(ranges.map(\.major) == [42...42, 42...42])
        #expect(ranges.map(\.minor) == [7...8, 10...10])
        #expect(configuration.sites[1].beacons.gateway.isEmpty)
        #expect(
            first.lines == [
                "s/aisle: along", "s/entry-1: entry, advertises \(Self.uuid)/42/7",
                "s/till-1: till, advertises \(Self.uuid)/42/8",
                "s/till-2: till, advertises \(Self.uuid)/42/10", "t/entry: entry", "t/till: till",
            ])
    }
}

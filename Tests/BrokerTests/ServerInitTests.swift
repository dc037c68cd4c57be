import Configuration
import MQTT
import Posix
import ServerConfiguration
import TestSupport
import Testing

extension BrokerTests {
    @Suite("sightline-server init")
    struct ServerInitTests {
        private static let status = """
            {"v":1,"state":"online","session":"1","at":1,"version":"1","clock":"synced"}
            """

        private static func publishStatus(of gateway: String, _ driver: ConnectionDriver) throws {
            try driver.connection.publish(
                Publication(
                    topic: "sightline/v1/\(gateway)/status", payload: Array(status.utf8),
                    isRetained: true), token: 1)
            _ = try driver.answer(to: 1)
        }

        @Test("the files of sightline-provision are all that it needs")
        func provisioned() throws {
            let made = try ProvisionedBroker(["--server", "queues"])
            let gateways = ["store-042/entry-1": made.entry, "store-042/till-store-042": made.till]
            for (gateway, settings) in gateways {
                try Self.publishStatus(of: gateway, try ConnectionDriver(to: settings))
            }
            // The broker of the plan is at the usual port.
            let people = made.folder.file("made/people/queues")
            let profile = try File.contents(of: people + "/profile.json", maxBytes: 65_536)
            try made.folder.write(
                String(decoding: profile, as: UTF8.self)
                    .replacing("localhost:8883", with: "localhost:\(made.broker.port)"),
                to: "made/people/queues/profile.json")
            let program = try #require(BuiltProgram.find("sightline-server"))
            let path = people + "/sightline-server.json"
            let initial = try ChildProcess(
                program, ["init", "--config", path, "--yes"], environment: [:])
            #expect(initial.waitForExit() == 0, "\(initial.lines)")
            let configuration = try ServerConfiguration(
                parsing: try File.contents(of: path, maxBytes: 65_536))
            #expect(configuration.id == "store-042")
            #expect(configuration.sites.map(\.site) == ["store-042"])
            #expect(configuration.sites[0].queues[0].entry == ["entry-1"])
            #expect(configuration.sites[0].queues[0].till == ["till-store-042"])
            let mqtt = try #require(configuration.broker)
            #expect(mqtt.host == "localhost" && mqtt.port == made.broker.port)
            #expect(mqtt.tls?.caFile == people + "/ca.crt")
            #expect(mqtt.tls?.certFile == people + "/queues.crt")
            #expect(mqtt.tls?.keyFile == people + "/queues.key")
        }

        @Test("without a confirmation it fails, writes nothing, and says so on a line of its own")
        func unconfirmed() throws {
            let broker = try Broker()
            let gateway = try ConnectionDriver(to: broker.settings())
            try Self.publishStatus(of: "s/entry", gateway)
            let folder = try TemporaryFolder()
            let program = try #require(BuiltProgram.find("sightline-server"))
            let arguments = [
                "init", "--broker", "mqtt://127.0.0.1:\(broker.port)", "--config",
                folder.file("server.json"),
            ]
            // Standard input is empty.
            let asked = try ChildProcess(program, arguments, environment: [:])
            #expect(asked.waitForExit() == 1)
            #expect(
                asked.lines.last
                    == "sightline-server: nothing is written; --yes writes without a question",
                "\(asked.lines)")
            #expect(!File.exists(folder.file("server.json")))
            let sure = try ChildProcess(program, arguments + ["--yes"], environment: [:])
            #expect(sure.waitForExit() == 0)
            #expect(File.exists(folder.file("server.json")))
        }
    }
}

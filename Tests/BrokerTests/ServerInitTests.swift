import MQTT
import Posix
import TestSupport
import Testing

extension BrokerTests {
    @Suite("sightline-server init")
    struct ServerInitTests {
        @Test("without a confirmation it fails, writes nothing, and says so on a line of its own")
        func unconfirmed() throws {
            let broker = try Broker()
            let gateway = try ConnectionDriver(to: broker.settings())
            let status = """
                {"v":1,"state":"online","session":"1","at":1,"version":"1","clock":"synced"}
                """
            try gateway.connection.publish(
                Publication(
                    topic: "sightline/v1/s/entry/status", payload: Array(status.utf8),
                    isRetained: true), token: 1)
            _ = try gateway.answer(to: 1)
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

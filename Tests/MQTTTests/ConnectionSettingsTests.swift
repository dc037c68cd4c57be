import Testing

@testable import MQTT

@Suite("ConnectionSettings")
struct ConnectionSettingsTests {
    @Test(
        "settings that can't work are faults of the configuration",
        arguments: [
            (ConnectionSettings(host: "", port: 1883), "host"),
            (ConnectionSettings(host: "broker.example", port: 0), "port"),
            (ConnectionSettings(host: "a\0b", port: 1883), "host contains a NUL"),
            (ConnectionSettings(host: "a", port: 1, username: "x\0"), "user name contains a NUL"),
            (
                ConnectionSettings(host: "a", port: 1, username: "x", password: "\0"),
                "password contains a NUL"
            ),
            (ConnectionSettings(host: "a", port: 1, password: "x"), "needs a user name"),
            (ConnectionSettings(host: "a", port: 1, clientID: "\0"), "client identifier contains"),
            (
                ConnectionSettings(host: "a", port: 1, tls: TLSSettings(caFile: "/nowhere/ca.pem")),
                "can't read the CA file /nowhere/ca.pem: No such file or directory"
            ),
        ])
    func faults(settings: ConnectionSettings, words: String) {
        var failure: ConnectionFailure?
        do throws(ConnectionFailure) {
            _ = try Connection(to: settings, version: .v5)
        } catch {
            failure = error
        }
        #expect(failure?.isConfiguration == true)
        #expect(failure.map { "\($0)".contains(words) } == true, "\(String(describing: failure))")
    }

    @Test("a will's topic with a wildcard is a fault of the configuration")
    func will() {
        let settings = ConnectionSettings(host: "127.0.0.1", port: 1)
        #expect(throws: ConnectionFailure.self) {
            _ = try Connection(
                to: settings, version: .v5, will: Will(topic: "a/#", payload: []))
        }
    }

    @Test("an address reads as people write it")
    func address() {
        #expect(
            ConnectionSettings(host: "broker.example", port: 8883).address == "broker.example:8883")
        #expect(ConnectionSettings(host: "::1", port: 1883).address == "[::1]:1883")
    }
}

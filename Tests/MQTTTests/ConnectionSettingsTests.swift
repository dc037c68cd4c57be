import TestSupport
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

    @Test(
        "files that can be read but can't be loaded are faults of the configuration, named with a remedy",
        .enabled(if: Tool.find("openssl") != nil, "apt-get install openssl"))
    func files() throws {
        let folder = try TemporaryFolder()
        let authority = try Certificates(in: folder)
        let (own, other) = (try authority.client(), try authority.client())
        let rubbish = try folder.write("a file without a certificate", to: "rubbish.pem")
        let (rsa, locked) = (folder.file("rsa.key"), folder.file("locked.key"))
        try Tool.run("openssl", ["genrsa", "-out", rsa, "2048"])
        try Tool.run(
            "openssl", ["ec", "-in", own.keyFile, "-aes128", "-passout", "pass:x", "-out", locked])
        func fault(_ caFile: String?, _ certFile: String, _ keyFile: String) -> String? {
            var settings = ConnectionSettings(host: "h", port: 1)
            settings.tls = TLSSettings(
                caFile: caFile, client: .init(certFile: certFile, keyFile: keyFile))
            do throws(ConnectionFailure) {
                try settings.check()
                return nil
            } catch {
                return error.isConfiguration ? "\(error)" : "no configuration: \(error)"
            }
        }
        #expect(fault(authority.caFile, own.certFile, own.keyFile) == nil)
        #expect(fault(nil, own.certFile, own.keyFile) == nil)
        let cases = [
            (fault(rubbish, own.certFile, own.keyFile), rubbish, "put the certificates to trust"),
            (fault(own.keyFile, own.certFile, own.keyFile), own.keyFile, "put the certificates"),
            (fault(nil, rubbish, own.keyFile), rubbish, "put our certificate there"),
            (fault(nil, own.certFile, rubbish), rubbish, "put the key of \(own.certFile) there"),
            (fault(nil, own.certFile, other.keyFile), other.keyFile, "put the key of"),
            (fault(nil, own.certFile, rsa), rsa, "put the key of"),
            (fault(nil, own.certFile, locked), locked, "without a passphrase"),
        ]
        for (sentence, file, remedy) in cases {
            let sentence = sentence ?? "no fault"
            #expect(sentence.hasPrefix("can't use broker h:1: \(file) can't be used ("))
            #expect(sentence.contains(remedy), "\(sentence)")
        }
    }

    @Test("an address reads as people write it")
    func address() {
        #expect(
            ConnectionSettings(host: "broker.example", port: 8883).address == "broker.example:8883")
        #expect(ConnectionSettings(host: "::1", port: 1883).address == "[::1]:1883")
    }
}

import Configuration
import Contract
import Foundation
import TestSupport
import Testing

@testable import Agent

@Suite(.enabled(if: Tool.find("openssl") != nil, "apt-get install openssl"))
struct ConfigurationFileTests {
    private let folder: TemporaryFolder
    private let authority: Certificates

    init() throws {
        folder = try TemporaryFolder()
        authority = try Certificates(in: folder)
    }

    /// Writes a configuration with a password, and reads it for the first time.
    private func begin(alternatives: String = "") throws -> ConfigurationFile {
        try folder.write("old\n", to: "password")
        try trust(authority)
        let path = try write(#""log":{}"#, alternatives: alternatives)
        let configuration = try LocalConfiguration.load(path: path, requiresBroker: true)
        var notes = BrokerList.Notes()
        let brokers = BrokerList(reading: configuration, &notes)
        return ConfigurationFile(
            path: path, configuration: configuration, brokers: brokers, isSourceGiven: false)
    }

    /// Puts the authority's certificate into the file that the configuration names.
    private func trust(_ authority: Certificates) throws {
        try folder.write(
            try String(contentsOfFile: authority.caFile, encoding: .utf8), to: "ca.pem")
    }

    @discardableResult
    private func write(
        _ section: String, host: String = "h", alternatives: String = ""
    ) throws -> String {
        try folder.write(
            """
            {"gateway":{"site":"s","id":"g"},
             "mqtt":{"host":"\(host)","username":"u","passwordFile":"\(folder.file("password"))",
                     "tls":{"caFile":"\(folder.file("ca.pem"))"},
                     "alternatives":[\(alternatives)]},
             \(section)}
            """, to: "sightlined.json")
    }

    private func faults(_ file: inout ConfigurationFile) -> [String] {
        do throws(ConfigurationError) {
            _ = try file.read()
            return []
        } catch {
            return error.lines
        }
    }

    @Test("an unchanged file changes nothing")
    func unchanged() throws {
        var file = try begin()
        let update = try file.read()
        #expect(update.change.applied == [])
        #expect(update.change.pending == [])
        #expect(update.brokers == nil)
    }

    @Test("a new password or certificate changes the brokers though the file is unchanged")
    func renewed() throws {
        var file = try begin()
        try folder.write("new\n", to: "password")
        let password = try file.read()
        #expect(password.change.applied == [])
        #expect(password.brokers?.usable.first?.connection.password == "new")
        #expect(try file.read().brokers == nil)
        try trust(try Certificates(in: folder, name: "other"))
        #expect(try file.read().brokers != nil)
        #expect(try file.read().brokers == nil)
    }

    @Test("a fault in the file, or in a file that it names, leaves the configuration unchanged")
    func faulty() throws {
        var file = try begin()
        let before = file.configuration
        try write(#""log":{"level":"loud"},"colour":"red""#)
        let lines = faults(&file)
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.hasPrefix(folder.file("sightlined.json") + ": /") })
        try write(#""log":{"level":"debug"}"#, host: "i")
        try FileManager.default.removeItem(atPath: folder.file("password"))
        #expect(faults(&file).first?.contains("the password can't be read") == true)
        try folder.write("new\n", to: "password")
        try FileManager.default.removeItem(atPath: folder.file("ca.pem"))
        #expect(faults(&file).first?.contains("can't read the CA file") == true)
        try folder.write("no certificate, but a file", to: "ca.pem")
        #expect(faults(&file).first?.contains("ca.pem can't be used") == true)
        #expect(file.configuration == before)
        try trust(authority)
        let update = try file.read()
        #expect(update.change.applied == ["mqtt.host", "log.level"])
        #expect(update.brokers?.usable.first?.connection.host == "i")
        try FileManager.default.removeItem(atPath: folder.file("sightlined.json"))
        #expect(faults(&file).count == 1)
    }

    @Test(
        "a broker that was unusable before is reported and blocks no change",
        arguments: [
            #"{"host":"a","passwordFile":"/nowhere/a"}"#,
            #"{"host":"a","tls":{"caFile":"/nowhere/a"}}"#,
        ])
    func knownFault(broken: String) throws {
        var file = try begin(alternatives: broken)
        try write(#""log":{"level":"debug"}"#, alternatives: broken)
        let update = try file.read()
        #expect(update.change.applied == ["log.level"])
        #expect(update.brokers == nil)
        #expect(update.faults.count == 1)
        #expect(update.faults.first?.contains("/nowhere/a") == true)
    }

    @Test("a fault in a new broker, or in one that was usable, rejects the file")
    func newFault() throws {
        let broken = #"{"host":"a","passwordFile":"/nowhere/a"}"#
        let other = #"{"host":"b","passwordFile":"/nowhere/b"}"#
        var file = try begin(alternatives: broken)
        let before = file.configuration
        try write(#""log":{"level":"debug"}"#, alternatives: broken + "," + other)
        #expect(faults(&file).contains { $0.contains("/nowhere/b") })
        let good = try folder.write("good\n", to: "good")
        let third = #"{"host":"c","passwordFile":"\#(good)"}"#
        try write(#""log":{}"#, alternatives: broken + "," + third)
        #expect(try file.read().brokers?.usable.map(\.connection.host) == ["h", "c"])
        try FileManager.default.removeItem(atPath: good)
        #expect(faults(&file).contains { $0.contains(good) })
        try write(#""log":{}"#, alternatives: broken)
        _ = try file.read()
        #expect(file.configuration == before)
    }

    @Test(
        "a broker that was unusable before rejects the file if no other broker is left")
    func onlyKnownFault() throws {
        let broken = #"{"host":"a","tls":{"caFile":"/nowhere/a"}}"#
        var file = try begin(alternatives: broken)
        let before = file.configuration
        try folder.write(
            """
            {"gateway":{"site":"s","id":"g"},
             "mqtt":{"host":"a","username":"u","passwordFile":"\(folder.file("password"))",
                     "tls":{"caFile":"/nowhere/a"}}}
            """, to: "sightlined.json")
        #expect(faults(&file).count == 1)
        #expect(file.configuration == before)
    }

    @Test("a radio source from the command line hides the file's")
    func givenSource() throws {
        let begun = try begin()
        let path = try write(#""radio":{"source":"hci7"}"#)
        for isGiven in [false, true] {
            var file = ConfigurationFile(
                path: path, configuration: begun.configuration,
                brokers: BrokerList(reading: begun.configuration), isSourceGiven: isGiven)
            #expect(try file.read().change.pending == (isGiven ? [] : ["radio.source"]))
            #expect(file.configuration.source == begun.configuration.source)
        }
    }
}

extension BrokerList {
    fileprivate init(reading configuration: LocalConfiguration) {
        var notes = Notes()
        self.init(reading: configuration, &notes)
    }
}

import Configuration
import Contract
import Foundation
import TestSupport
import Testing

@testable import Agent

@Suite(.enabled(if: Tool.find("openssl") != nil, "apt-get install openssl"))
struct ReloadingTests {
    private let folder: TemporaryFolder
    private let authority: Certificates

    init() throws {
        folder = try TemporaryFolder()
        authority = try Certificates(in: folder)
    }

    /// Writes a configuration with a password, and reads it for the first time.
    private func begin(alternatives: String = "") throws -> Reloading {
        try folder.write("old\n", to: "password")
        try trust(authority)
        let path = try write(#""log":{}"#, alternatives: alternatives)
        let configuration = try LocalConfiguration.load(path: path, requiresBroker: true)
        var remarks = BrokerList.Remarks()
        let brokers = BrokerList(reading: configuration, &remarks)
        return Reloading(
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

    private func faults(_ reloading: inout Reloading) -> [String] {
        do throws(ConfigurationError) {
            _ = try reloading.read()
            return []
        } catch {
            return error.lines
        }
    }

    @Test("A file that is as it was changes nothing")
    func unchanged() throws {
        var reloading = try begin()
        let news = try reloading.read()
        #expect(news.change.taken == [])
        #expect(news.change.waiting == [])
        #expect(news.brokers == nil)
    }

    @Test("A new password, and a new certificate, are news though the file is as it was")
    func renewed() throws {
        var reloading = try begin()
        try folder.write("new\n", to: "password")
        let password = try reloading.read()
        #expect(password.change.taken == [])
        #expect(password.brokers?.usable.first?.connection.password == "new")
        #expect(try reloading.read().brokers == nil)
        try trust(try Certificates(in: folder, name: "other"))
        #expect(try reloading.read().brokers != nil)
        #expect(try reloading.read().brokers == nil)
    }

    @Test("With any fault, here or in a file that it names, all stays as it was")
    func faulty() throws {
        var reloading = try begin()
        let before = reloading.configuration
        try write(#""log":{"level":"loud"},"colour":"red""#)
        let lines = faults(&reloading)
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.hasPrefix(folder.file("sightlined.json") + ": /") })
        try write(#""log":{"level":"debug"}"#, host: "i")
        try FileManager.default.removeItem(atPath: folder.file("password"))
        #expect(faults(&reloading).first?.contains("the password can't be read") == true)
        try folder.write("new\n", to: "password")
        try FileManager.default.removeItem(atPath: folder.file("ca.pem"))
        #expect(faults(&reloading).first?.contains("can't read the CA file") == true)
        try folder.write("no certificate, but a file", to: "ca.pem")
        #expect(faults(&reloading).first?.contains("ca.pem can't be used") == true)
        #expect(reloading.configuration == before)
        try trust(authority)
        let news = try reloading.read()
        #expect(news.change.taken == ["mqtt.host", "log.level"])
        #expect(news.brokers?.usable.first?.connection.host == "i")
        try FileManager.default.removeItem(atPath: folder.file("sightlined.json"))
        #expect(faults(&reloading).count == 1)
    }

    @Test(
        "A broker that could not be used before keeps nothing from being taken, and is said",
        arguments: [
            #"{"host":"a","passwordFile":"/nowhere/a"}"#,
            #"{"host":"a","tls":{"caFile":"/nowhere/a"}}"#,
        ])
    func knownFault(broken: String) throws {
        var reloading = try begin(alternatives: broken)
        try write(#""log":{"level":"debug"}"#, alternatives: broken)
        let news = try reloading.read()
        #expect(news.change.taken == ["log.level"])
        #expect(news.brokers == nil)
        #expect(news.faults.count == 1)
        #expect(news.faults.first?.contains("/nowhere/a") == true)
    }

    @Test("A broker that is new, or could be used before, has to have no fault")
    func newFault() throws {
        let broken = #"{"host":"a","passwordFile":"/nowhere/a"}"#
        let other = #"{"host":"b","passwordFile":"/nowhere/b"}"#
        var reloading = try begin(alternatives: broken)
        let before = reloading.configuration
        try write(#""log":{"level":"debug"}"#, alternatives: broken + "," + other)
        #expect(faults(&reloading).contains { $0.contains("/nowhere/b") })
        let good = try folder.write("good\n", to: "good")
        let third = #"{"host":"c","passwordFile":"\#(good)"}"#
        try write(#""log":{}"#, alternatives: broken + "," + third)
        #expect(try reloading.read().brokers?.usable.map(\.connection.host) == ["h", "c"])
        try FileManager.default.removeItem(atPath: good)
        #expect(faults(&reloading).contains { $0.contains(good) })
        try write(#""log":{}"#, alternatives: broken)
        _ = try reloading.read()
        #expect(reloading.configuration == before)
    }

    @Test(
        "Where no other broker is left, one that could not be used before is not taken either")
    func onlyKnownFault() throws {
        let broken = #"{"host":"a","tls":{"caFile":"/nowhere/a"}}"#
        var reloading = try begin(alternatives: broken)
        let before = reloading.configuration
        try folder.write(
            """
            {"gateway":{"site":"s","id":"g"},
             "mqtt":{"host":"a","username":"u","passwordFile":"\(folder.file("password"))",
                     "tls":{"caFile":"/nowhere/a"}}}
            """, to: "sightlined.json")
        #expect(faults(&reloading).count == 1)
        #expect(reloading.configuration == before)
    }

    @Test("A radio from the command line is none of the file's business")
    func givenSource() throws {
        let begun = try begin()
        let path = try write(#""radio":{"source":"hci7"}"#)
        for isGiven in [false, true] {
            var reloading = Reloading(
                path: path, configuration: begun.configuration,
                brokers: BrokerList(reading: begun.configuration), isSourceGiven: isGiven)
            #expect(try reloading.read().change.waiting == (isGiven ? [] : ["radio.source"]))
            #expect(reloading.configuration.source == begun.configuration.source)
        }
    }
}

extension BrokerList {
    fileprivate init(reading configuration: LocalConfiguration) {
        var remarks = Remarks()
        self.init(reading: configuration, &remarks)
    }
}

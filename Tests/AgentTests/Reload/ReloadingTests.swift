import Configuration
import Foundation
import Messages
import TestSupport
import Testing

@testable import Agent

@Suite struct ReloadingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes a configuration with a password, and reads it for the first time.
    private func begin() throws -> Reloading {
        try folder.write("old\n", to: "password")
        try folder.write("no certificate, but a file", to: "ca.pem")
        let path = try write(#""log":{}"#)
        let configuration = try LocalConfiguration.load(path: path, requiresBroker: true)
        var remarks = BrokerList.Remarks()
        let brokers = BrokerList(reading: configuration, &remarks)
        return Reloading(
            path: path, configuration: configuration, brokers: brokers, isSourceGiven: false)
    }

    @discardableResult
    private func write(_ section: String, host: String = "h") throws -> String {
        try folder.write(
            """
            {"gateway":{"site":"s","id":"g"},
             "mqtt":{"host":"\(host)","username":"u","passwordFile":"\(folder.file("password"))",
                     "tls":{"caFile":"\(folder.file("ca.pem"))"}},
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
        try folder.write("another certificate, but a file", to: "ca.pem")
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
        #expect(reloading.configuration == before)
        try folder.write("once more", to: "ca.pem")
        let news = try reloading.read()
        #expect(news.change.taken == ["mqtt", "log.level"])
        #expect(news.brokers?.usable.first?.connection.host == "i")
        try FileManager.default.removeItem(atPath: folder.file("sightlined.json"))
        #expect(faults(&reloading).count == 1)
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

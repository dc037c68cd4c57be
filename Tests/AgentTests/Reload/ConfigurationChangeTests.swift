import Configuration
import Testing

@testable import Agent

@Suite struct ConfigurationChangeTests {
    private static let head =
        #""gateway":{"site":"s","id":"g"},"mqtt":{"host":"h"},"radio":{"source":"hci0"}"#

    private func configuration(_ sections: String) throws -> LocalConfiguration {
        try LocalConfiguration(parsing: Array("{\(sections)}".utf8), requiresBroker: true)
    }

    /// A key, the sections of a configuration with another value of it, and whether the change is immediate.
    struct Case: CustomTestStringConvertible, Sendable {
        let key: String
        let sections: String
        let isApplied: Bool
        var testDescription: String { key }

        init(_ key: String, _ sections: String, isApplied: Bool) {
            self.key = key
            self.sections = sections
            self.isApplied = isApplied
        }
    }

    private static func mqtt(_ members: String) -> String {
        #""gateway":{"site":"s","id":"g"},"mqtt":{\#(members)},"radio":{"source":"hci0"}"#
    }

    private static func beside(_ sections: String) -> String { head + "," + sections }

    static let cases: [Case] = [
        Case(
            "gateway.site", #""gateway":{"site":"t","id":"g"},"mqtt":{"host":"h"}"#,
            isApplied: false),
        Case(
            "gateway.id", #""gateway":{"site":"s","id":"f"},"mqtt":{"host":"h"}"#, isApplied: false),
        Case("mqtt.root", mqtt(#""host":"h","root":"r""#), isApplied: false),
        Case("mqtt.host", mqtt(#""host":"i""#), isApplied: true),
        Case("mqtt.port", mqtt(#""host":"h","port":1884"#), isApplied: true),
        Case("mqtt.protocol", mqtt(#""host":"h","protocol":"5""#), isApplied: true),
        Case("mqtt.username", mqtt(#""host":"h","username":"u""#), isApplied: true),
        Case("mqtt.clientId", mqtt(#""host":"h","clientId":"c""#), isApplied: true),
        Case("mqtt.keepAliveSeconds", mqtt(#""host":"h","keepAliveSeconds":60"#), isApplied: true),
        Case(
            "mqtt.alternatives", mqtt(#""host":"h","alternatives":[{"port":2}]"#), isApplied: true),
        Case(
            "radio.source",
            #""gateway":{"site":"s","id":"g"},"mqtt":{"host":"h"},"radio":{"source":"hci1"}"#,
            isApplied: false),
        Case("report.windowMs", beside(#""report":{"windowMs":2000}"#), isApplied: true),
        Case("report.maxIdentities", beside(#""report":{"maxIdentities":5}"#), isApplied: false),
        Case(
            "filter.uuids", beside(#""filter":{"uuids":["e2c56db5-dffb-48d2-b060-d0f5a71096e0"]}"#),
            isApplied: true),
        Case("advertise", beside(#""advertise":{"enabled":false}"#), isApplied: true),
        Case("outbox.path", beside(#""outbox":{"path":"/p"}"#), isApplied: false),
        Case("outbox.refusedHoldMs", beside(#""outbox":{"refusedHoldMs":1}"#), isApplied: true),
        Case("outbox.spillAfterMs", beside(#""outbox":{"spillAfterMs":1}"#), isApplied: true),
        Case("outbox.maxBytes", beside(#""outbox":{"maxBytes":70000}"#), isApplied: true),
        Case("outbox.maxAgeHours", beside(#""outbox":{"maxAgeHours":1}"#), isApplied: true),
        Case(
            "outbox.backlogPerSecond", beside(#""outbox":{"backlogPerSecond":1}"#), isApplied: true),
        Case("outbox.holdUnsyncedMs", beside(#""outbox":{"holdUnsyncedMs":1}"#), isApplied: true),
        Case("stateDirectory", beside(#""stateDirectory":"/d""#), isApplied: false),
        Case("metrics.textfile", beside(#""metrics":{"textfile":"/m.prom"}"#), isApplied: true),
        Case("homeAssistant", beside(#""homeAssistant":{}"#), isApplied: true),
        Case("log.level", beside(#""log":{"level":"debug"}"#), isApplied: true),
        Case("log.format", beside(#""log":{"format":"json"}"#), isApplied: true),
    ]

    @Test(
        "a key changes immediately, or keeps its old value until a restart",
        arguments: cases)
    func key(_ wanted: Case) throws {
        let old = try configuration(Self.head)
        let new = try configuration(wanted.sections)
        let change = ConfigurationChange(from: old, to: new)
        #expect(change.applied == (wanted.isApplied ? [wanted.key] : []))
        #expect(change.pending == (wanted.isApplied ? [] : [wanted.key]))
        var inForce = change.configuration
        // The lowest layer has no pending keys.
        inForce.lowestLayer = wanted.isApplied ? new.lowestLayer : old.lowestLayer
        #expect(inForce == (wanted.isApplied ? new : old))
        // The same file again has the same pending keys and nothing to apply.
        let again = ConfigurationChange(from: change.configuration, to: new)
        #expect(again.applied == [])
        #expect(again.pending == change.pending)
    }

    @Test("reference beacons change immediately")
    func references() throws {
        let text = """
            "gateway":{"site":"s","id":"g"},"mqtt":{"host":"h"},"radio":{"source":"hci0","reference":
            [{"uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":1,"minor":2}]}
            """
        let change = ConfigurationChange(
            from: try configuration(Self.head), to: try configuration(text))
        #expect(change.applied == ["radio.reference"])
        #expect(change.configuration.references.count == 1)
    }

    @Test("equal configurations have no changes, and each of many changes is listed")
    func many() throws {
        let old = try configuration(Self.head)
        #expect(ConfigurationChange(from: old, to: old).applied == [])
        #expect(ConfigurationChange(from: old, to: old).pending == [])
        let new = try configuration(
            #"""
            "gateway":{"site":"t","id":"f"},"mqtt":{"host":"i","root":"r"},
            "log":{"level":"error"},"stateDirectory":"/d","radio":{"source":"hci0"}
            """#)
        let change = ConfigurationChange(from: old, to: new)
        #expect(change.applied == ["mqtt.host", "log.level"])
        #expect(change.pending == ["gateway.site", "gateway.id", "mqtt.root", "stateDirectory"])
        #expect(change.configuration.topics == old.topics)
        #expect(change.configuration.broker?.host == "i")
    }
}

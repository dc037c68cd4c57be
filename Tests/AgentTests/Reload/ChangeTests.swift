import Configuration
import Testing

@testable import Agent

@Suite struct ChangeTests {
    private static let head =
        #""gateway":{"site":"s","id":"g"},"mqtt":{"host":"h"},"radio":{"source":"hci0"}"#

    private func configuration(_ sections: String) throws -> LocalConfiguration {
        try LocalConfiguration(parsing: Array("{\(sections)}".utf8), requiresBroker: true)
    }

    /// A key, what comes in the place of the usual sections, and whether it is taken at once.
    struct Case: CustomTestStringConvertible, Sendable {
        let key: String
        let sections: String
        let isTaken: Bool
        var testDescription: String { key }

        init(_ key: String, _ sections: String, isTaken: Bool) {
            self.key = key
            self.sections = sections
            self.isTaken = isTaken
        }
    }

    private static func mqtt(_ members: String) -> String {
        #""gateway":{"site":"s","id":"g"},"mqtt":{\#(members)},"radio":{"source":"hci0"}"#
    }

    private static func beside(_ sections: String) -> String { head + "," + sections }

    static let cases: [Case] = [
        Case(
            "gateway.site", #""gateway":{"site":"t","id":"g"},"mqtt":{"host":"h"}"#, isTaken: false),
        Case(
            "gateway.id", #""gateway":{"site":"s","id":"f"},"mqtt":{"host":"h"}"#, isTaken: false),
        Case("mqtt.root", mqtt(#""host":"h","root":"r""#), isTaken: false),
        Case("mqtt.host", mqtt(#""host":"i""#), isTaken: true),
        Case("mqtt.port", mqtt(#""host":"h","port":1884"#), isTaken: true),
        Case("mqtt.protocol", mqtt(#""host":"h","protocol":"5""#), isTaken: true),
        Case("mqtt.username", mqtt(#""host":"h","username":"u""#), isTaken: true),
        Case("mqtt.clientId", mqtt(#""host":"h","clientId":"c""#), isTaken: true),
        Case("mqtt.keepAliveSeconds", mqtt(#""host":"h","keepAliveSeconds":60"#), isTaken: true),
        Case("mqtt.alternatives", mqtt(#""host":"h","alternatives":[{"port":2}]"#), isTaken: true),
        Case(
            "radio.source",
            #""gateway":{"site":"s","id":"g"},"mqtt":{"host":"h"},"radio":{"source":"hci1"}"#,
            isTaken: false),
        Case("report.windowMs", beside(#""report":{"windowMs":2000}"#), isTaken: true),
        Case("report.maxIdentities", beside(#""report":{"maxIdentities":5}"#), isTaken: false),
        Case(
            "filter.uuids", beside(#""filter":{"uuids":["e2c56db5-dffb-48d2-b060-d0f5a71096e0"]}"#),
            isTaken: true),
        Case("advertise", beside(#""advertise":{"enabled":false}"#), isTaken: true),
        Case("outbox.path", beside(#""outbox":{"path":"/p"}"#), isTaken: false),
        Case("outbox.spillAfterMs", beside(#""outbox":{"spillAfterMs":1}"#), isTaken: true),
        Case("outbox.maxBytes", beside(#""outbox":{"maxBytes":70000}"#), isTaken: true),
        Case("outbox.maxAgeHours", beside(#""outbox":{"maxAgeHours":1}"#), isTaken: true),
        Case("outbox.backlogPerSecond", beside(#""outbox":{"backlogPerSecond":1}"#), isTaken: true),
        Case("outbox.holdUnsyncedMs", beside(#""outbox":{"holdUnsyncedMs":1}"#), isTaken: true),
        Case("stateDirectory", beside(#""stateDirectory":"/d""#), isTaken: false),
        Case("metrics.textfile", beside(#""metrics":{"textfile":"/m.prom"}"#), isTaken: true),
        Case("homeAssistant", beside(#""homeAssistant":{}"#), isTaken: true),
        Case("log.level", beside(#""log":{"level":"debug"}"#), isTaken: true),
        Case("log.format", beside(#""log":{"format":"json"}"#), isTaken: true),
    ]

    @Test(
        "Each key is taken at once or waits for a restart, and then the old value stays",
        arguments: cases)
    func key(_ wanted: Case) throws {
        let old = try configuration(Self.head)
        let new = try configuration(wanted.sections)
        let change = Change(from: old, to: new)
        #expect(change.taken == (wanted.isTaken ? [wanted.key] : []))
        #expect(change.waiting == (wanted.isTaken ? [] : [wanted.key]))
        var inForce = change.configuration
        // The sections themselves, which the reconciler gets, hold nothing that waits.
        inForce.lowestLayer = wanted.isTaken ? new.lowestLayer : old.lowestLayer
        #expect(inForce == (wanted.isTaken ? new : old))
        // The same file again says the same of what waits, and nothing of what was taken.
        let again = Change(from: change.configuration, to: new)
        #expect(again.taken == [])
        #expect(again.waiting == change.waiting)
    }

    @Test("Reference beacons are taken at once")
    func references() throws {
        let text = """
            "gateway":{"site":"s","id":"g"},"mqtt":{"host":"h"},"radio":{"source":"hci0","reference":
            [{"uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":1,"minor":2}]}
            """
        let change = Change(from: try configuration(Self.head), to: try configuration(text))
        #expect(change.taken == ["radio.reference"])
        #expect(change.configuration.references.count == 1)
    }

    @Test("Nothing differs from itself, and of many changes each is told")
    func many() throws {
        let old = try configuration(Self.head)
        #expect(Change(from: old, to: old).taken == [])
        #expect(Change(from: old, to: old).waiting == [])
        let new = try configuration(
            #"""
            "gateway":{"site":"t","id":"f"},"mqtt":{"host":"i","root":"r"},
            "log":{"level":"error"},"stateDirectory":"/d","radio":{"source":"hci0"}
            """#)
        let change = Change(from: old, to: new)
        #expect(change.taken == ["mqtt.host", "log.level"])
        #expect(change.waiting == ["gateway.site", "gateway.id", "mqtt.root", "stateDirectory"])
        #expect(change.configuration.topics == old.topics)
        #expect(change.configuration.broker?.host == "i")
    }
}

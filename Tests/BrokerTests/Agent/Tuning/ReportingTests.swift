import Foundation
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("reporting what is in force")
    struct ReportingTests {
        private struct Wrong {
            let text: String
            let code: String
            let path: String
        }

        private static let wrong = [
            Wrong(text: #"{"version":"#, code: "invalid-json", path: ""),
            Wrong(text: #"{"version":9,"colour":1}"#, code: "unknown-key", path: "/colour"),
            Wrong(
                text: #"{"version":9,"advertise":{"major":70000}}"#, code: "out-of-range",
                path: "/advertise/major"),
            Wrong(
                text:
                    #"{"version":9,"filter":{"uuids":["\#(String(repeating: "0", count: 70_000))"]}}"#,
                code: "too-large", path: ""),
        ]

        @Test(
            "there is one report for every connection, change and refused document, and it is kept",
            arguments: ["5", "3.1.1"])
        func reports(version: String) throws {
            let scene = try TunedScene()
            try scene.publishAll()
            let agent = try scene.start { $0.mqtt["protocol"] = version }
            try scene.waitUntilTuned()
            var expected = scene.witness.reports.count
            let changes = [
                #"{"version":2,"advertise":{"minor":8}}"#,
                #"{"version":3,"advertise":{"minor":8},"report":{"windowMs":400}}"#,
                #"{"version":4,"advertise":{"minor":9}}"#,
            ]
            for (index, text) in changes.enumerated() {
                try scene.publisher.publish(text, of: .gateway)
                expected += 1
                let report = try scene.witness.waitForReport(from: expected - 1) { _ in true }
                #expect(report.versions == [1, 1, index + 2])
                #expect(report.status == "applied")
                #expect(report.isPersisted)
            }
            for document in Self.wrong {
                try scene.publisher.publish(document.text, of: .gateway)
                expected += 1
                let report = try scene.witness.waitForReport(from: expected - 1) { _ in true }
                #expect(report.status == "rejected")
                #expect(report.versions == [1, 1, 4])
                #expect(report.faults.map(\.code) == [document.code])
                #expect(report.faults.map(\.path) == [document.path])
                #expect(report.faults.map(\.layer) == ["gateway"])
            }
            // Said again, the same is reported again, and logged once.
            if let again = Self.wrong.last {
                try scene.publisher.publish(again.text, of: .gateway)
                expected += 1
                _ = try scene.witness.waitForReport(from: expected - 1) { _ in true }
            }
            // The documents that were not taken are in nobody's way.
            try scene.publisher.publish(#"{"version":5,"advertise":{"minor":10}}"#, of: .gateway)
            let last = try scene.witness.waitForReport(from: expected) { _ in true }
            #expect(last.versions == [1, 1, 5])
            #expect(last.status == "applied")
            // Time enough for a report too many.
            let seq = try scene.witness.batches().last?.seq ?? 0
            try scene.witness.waitForBatch { $0.seq > seq + 1 }
            #expect(scene.witness.reports.count == expected + 1)
            let late = try Subscriber(to: "sightline/v1/+/+/config/reported", on: scene.broker)
            let kept = try late.waitForReport { _ in true }
            #expect(kept.isRetained)
            #expect(kept.text == last.text)
            try agent.end()
            let complaints = agent.complaints
            // A line for each document that is not taken, and nothing else.
            #expect(complaints.count == Self.wrong.count, "\(complaints)")
            #expect(complaints.allSatisfy { $0.contains("configuration document rejected") })
        }

        @Test("at the end it says that nothing is on the air any more, and then that it is offline")
        func lastWords() throws {
            let scene = try TunedScene()
            try scene.publishAll()
            let agent = try scene.start()
            let tuned = try scene.waitUntilTuned()
            try agent.end()
            _ = try scene.witness.waitForStatus("offline")
            let last = try #require(scene.witness.reports.last)
            #expect(last.session == tuned.session)
            #expect(!last.isAdvertising)
            #expect(last.versions == [1, 1, 1])
            #expect(last.identity == ShownIdentity())
            #expect(scene.witness.received.last?.topic.hasSuffix("/status") == true)
            try scene.radio.waitForAir { $0.last == .some(nil) }
        }
    }
}

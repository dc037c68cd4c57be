import Foundation
import Posix
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("reports of the layers in force")
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

        @Test("two documents of one version: the gateway keeps the first and reports the conflict")
        func conflictingVersion() throws {
            let scene = try TunedScene()
            try scene.publishAll()
            let agent = try scene.start()
            let tuned = try scene.waitUntilTuned()
            // By coreutils: printf '{"advertise":{"minor":7},"version":1}' | sha256sum
            let digest = "1f673cac209c92bb4fa22dda35e5743af9511722f6ed866580e96657856f0e36"
            #expect(tuned.digests[2] == digest)
            try scene.publisher.publish(#"{"version":1,"advertise":{"minor":9}}"#, of: .gateway)
            let report = try scene.witness.waitForReport { $0.status == "rejected" }
            #expect(report.faults.map(\.description) == ["gateway 1 /version conflicting-version"])
            #expect(report.versions == [1, 1, 1])
            #expect(report.digests == tuned.digests)
            #expect(report.identity?.minor == 7)
            // A program that compares versions alone would report success.
            let tune = try ChildProcess(
                try #require(BuiltProgram.find("sightline")),
                [
                    "tune", "--broker", "mqtt://127.0.0.1:\(scene.broker.port)", "--site",
                    "store-042", "--gateway", "entry-1", "advertise.minor=9",
                ])
            #expect(tune.waitForExit() == 1)
            #expect(
                tune.lines.first?.contains("store-042/entry-1 has another version 1 of") == true,
                "\(tune.lines)")
            try agent.end()
        }

        @Test("the report has the time since which each document is in force, also after a restart")
        func since() throws {
            let scene = try TunedScene()
            try scene.publishAll()
            let began = Date().timeIntervalSince1970 * 1000
            let agent = try scene.start()
            let tuned = try scene.waitUntilTuned()
            let ended = Date().timeIntervalSince1970 * 1000
            // Without a time service, the machine's clock does not count as set.
            for since in tuned.since where Clocks.isWallClockSynchronised {
                #expect((began - 1...ended + 1).contains(since ?? 0), "\(tuned)")
            }
            try agent.end()
            let second = try scene.start()
            let restarted = try scene.witness.waitForReport { $0.session != tuned.session }
            #expect(restarted.versions == tuned.versions)
            #expect(restarted.since == tuned.since)
            try second.end()
        }

        @Test(
            "each connection, change and rejected document causes one retained report",
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
            // The same document again is reported again, and logged once.
            if let again = Self.wrong.last {
                try scene.publisher.publish(again.text, of: .gateway)
                expected += 1
                _ = try scene.witness.waitForReport(from: expected - 1) { _ in true }
            }
            // Rejected documents do not block later ones.
            try scene.publisher.publish(#"{"version":5,"advertise":{"minor":10}}"#, of: .gateway)
            let last = try scene.witness.waitForReport(from: expected) { _ in true }
            #expect(last.versions == [1, 1, 5])
            #expect(last.status == "applied")
            // A further report would arrive in this time.
            let seq = try scene.witness.batches().last?.seq ?? 0
            try scene.witness.waitForBatch { $0.seq > seq + 1 }
            #expect(scene.witness.reports.count == expected + 1)
            let late = try Subscriber(to: "sightline/v1/+/+/config/reported", on: scene.broker)
            let kept = try late.waitForReport { _ in true }
            #expect(kept.isRetained)
            #expect(kept.text == last.text)
            try agent.end()
            let complaints = agent.complaints
            // One line for each rejected document.
            #expect(complaints.count == Self.wrong.count, "\(complaints)")
            #expect(complaints.allSatisfy { $0.contains("configuration document rejected") })
        }

        @Test("at the end, the report shows no advertising, then the status is offline")
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

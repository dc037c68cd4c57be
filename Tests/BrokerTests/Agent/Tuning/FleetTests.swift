import Foundation
import HCI
import MQTT
import TestSupport
import Testing

extension BrokerTests.AgentTests {
    @Suite("a fleet and a plan")
    struct FleetTests {
        private static let sites = 10
        private static let gatewaysPerSite = 20
        private static let away: Set = [
            "store-01/entry-1", "store-05/entry-7", "store-10/entry-20",
        ]
        private static let refusing: Set = ["store-02/entry-3", "store-09/entry-11"]
        /// The plan's timeout in seconds, far above the time of the test: nobody waits for offline gateways.
        private static let timeout = 3600

        /// LE Set Advertising Data.
        private static let refused = Opcode(rawValue: 0x2008)

        private static let members: [SimulatedFleet.Member] = (1...sites).flatMap { site in
            (1...gatewaysPerSite).map { gateway in
                var member = SimulatedFleet.Member(
                    site: (site < 10 ? "store-0" : "store-") + "\(site)", id: "entry-\(gateway)")
                if refusing.contains(member.name) { member.refuses = refused }
                return member
            }
        }

        /// The plan's file: a minor for every gateway, and optionally a major for every site.
        private static func plan(
            _ members: [SimulatedFleet.Member], first minor: Int, withMajors: Bool
        ) -> String {
            let rows = members.enumerated().map { index, member in
                let major = withMajors ? "1" + member.site.suffix(2) : ""
                return "\(member.site),\(major),\(member.id),\(minor + index)"
            }
            return (["site,major,gateway,minor"] + rows).joined(separator: "\n") + "\n"
        }

        private static func start(
            _ plan: String, _ broker: Broker, in folder: TemporaryFolder
        ) throws -> ChildProcess {
            guard let program = BuiltProgram.find("sightline") else {
                throw TestFailure("sightline was not built beside the tests")
            }
            return try ChildProcess(
                program,
                [
                    "tune", "--broker", "mqtt://127.0.0.1:\(broker.port)", "--plan",
                    try folder.write(plan, to: "plan.csv"), "--timeout", "\(timeout)",
                ])
        }

        @Test("a plan for 200 gateways has a result for each, and one exit code for all")
        func plan() throws {
            let broker = try Broker()
            let publisher = try Publisher(broker)
            try publisher.publish(TunedScene.fleet, of: .fleet)
            let witness = try Subscriber(to: "sightline/#", on: broker)
            let fleet = try SimulatedFleet(Self.members, to: broker.settings())
            try wait(witness, for: Self.members.count, "\"fleet\":1")
            fleet.end(Self.away)
            for name in Self.away {
                let topic = "sightline/v1/\(name)/status"
                let status = witness.waitForMessage {
                    $0.topic == topic && $0.payload.contains("offline")
                }
                #expect(status != nil)
            }
            let folder = try TemporaryFolder()
            let first = try Self.start(
                Self.plan(Self.members, first: 1, withMajors: true), broker, in: folder)
            #expect(first.waitForExit() == 1)
            try check(first.lines)
            // Only online gateways whose controllers accept commands; a site's document would concern all.
            let good = Self.members.filter {
                !Self.away.contains($0.name) && !Self.refusing.contains($0.name)
            }
            let second = try Self.start(
                Self.plan(good, first: 2001, withMajors: false), broker, in: folder)
            #expect(
                second.waitForExit() == 0, "\(second.lines)")
            #expect(Self.lines(second.lines).isEmpty, "\(second.lines)")
            #expect(second.lines.last == "195 gateways: 195 applied")
            try checkReports(of: good, on: broker)
        }

        /// The output line of each gateway.
        private static func lines(_ lines: [String]) -> [String: String] {
            let pairs = lines.compactMap { line -> (String, String)? in
                let words = line.split(separator: " ", maxSplits: 1).map(String.init)
                guard words.count == 2, members.contains(where: { $0.name == words[0] }) else {
                    return nil
                }
                return (words[0], words[1])
            }
            return Dictionary(pairs) { "\($0), then \($1)" }
        }

        private func check(_ output: [String]) throws {
            let lines = Self.lines(output)
            // Only gateways that need attention have a line.
            #expect(Set(lines.keys) == Self.away.union(Self.refusing))
            for (name, line) in lines {
                if Self.away.contains(name) {
                    #expect(line == "offline: it applies this when it returns", "\(name)")
                } else {
                    #expect(line.hasPrefix("refused: "), "\(name): \(line)")
                    #expect(
                        line.contains("Connection Rejected due to Limited Resources (0x0d)"),
                        "\(name): \(line)")
                }
            }
            #expect(
                output.contains {
                    $0.contains("200 gateways") && $0.contains("195 applied")
                        && $0.contains("2 refused") && $0.contains("3 offline")
                }, "\(output.suffix(3))")
        }

        /// The retained reports are those of the second plan.
        private func checkReports(of good: [SimulatedFleet.Member], on broker: Broker) throws {
            let late = try Subscriber(to: "sightline/v1/+/+/config/reported", on: broker)
            #expect(late.wait { $0.count >= Self.members.count })
            let reports = Dictionary(
                late.reports.map { ($0.topic, $0) }, uniquingKeysWith: { $1 })
            for (index, member) in good.enumerated() {
                let report = reports["sightline/v1/\(member.name)/config/reported"]
                #expect(report?.versions == [1, 1, 2], "\(member.name)")
                #expect(report?.identity?.minor == 2001 + index)
                #expect(report?.isAdvertising == true)
            }
        }

        /// Waits until `count` gateways have reported `text`.
        private func wait(_ witness: Subscriber, for count: Int, _ text: String) throws {
            let isThere = witness.wait { messages in
                guard messages.count >= count else { return false }
                let topics = messages.lazy.filter {
                    $0.topic.hasSuffix("/config/reported") && $0.payload.contains(text)
                }.map(\.topic)
                return Set(topics).count == count
            }
            guard isThere else { throw TestFailure("not \(count) gateways in time") }
        }
    }
}

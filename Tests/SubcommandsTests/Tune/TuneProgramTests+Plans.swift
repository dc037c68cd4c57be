import Contract
import Foundation
import Subscriber
import TestSupport
import Testing

@testable import Subcommands

/// Plans for many gateways.
extension TuneProgramTests {
    @Test("a plan for 200 gateways has three offline ones, a refusal and a deaf one")
    func plan() throws {
        let broker = try Broker()
        var manners: [GatewayName: FakeGateways.Manner] = [:]
        var lines = ["site,major,gateway,minor"]
        for number in 0..<200 {
            let name = GatewayName(site: "store-\(number / 10)", id: "gate-\(number)")
            manners[name] =
                [5, 77, 199].contains(number)
                ? .offline : number == 40 ? .refuses : number == 141 ? .deaf : .applies
            lines.append("\(name.site),\(100 + number / 10),\(name.id),\(number)")
        }
        let file = try broker.folder.write(lines.joined(separator: "\n"), to: "plan.csv")
        let fakes = try FakeGateways(manners, on: broker)
        try withExtendedLifetime(fakes) {
            let summary = try Self.run(["--plan", file, "--dry-run"], on: broker)
            #expect(summary.status == 0)
            #expect(
                summary.lines == [
                    "20 sites: + /advertise/major 100 … 119 (20 values)",
                    "200 gateways: + /advertise/minor 0 … 199 (200 values)",
                    "(--verbose shows each document)", "220 of 220 documents change",
                    "sightline: dry run: nothing is published",
                ])
            let dry = try Self.run(["--plan", file, "--dry-run", "--verbose"], on: broker)
            #expect(dry.status == 0)
            #expect(dry.lines.filter { $0.hasSuffix("no document → version 1") }.count == 220)
            #expect(try Self.retained("sightline/v1/+/config/desired", on: broker) == nil)
            #expect(dry.lines.contains("220 of 220 documents change"))
            // The time limit is far above that of the test: nobody is waited for.
            let result = try Self.run(["--plan", file, "--timeout", "86400"], on: broker)
            #expect(result.status == 1)
            let answers = result.lines.filter { $0.hasPrefix("store-") }
            let later = "offline: it applies this when it returns"
            #expect(
                answers == [
                    "store-4/gate-40 refused: /advertise/major: Command Disallowed (0x0c)",
                    "store-0/gate-5 \(later)", "store-19/gate-199 \(later)",
                    "store-7/gate-77 \(later)",
                    "store-14/gate-141 applied; degraded: its radio is deaf, or not as configured",
                ])
            #expect(result.lines.last == "200 gateways: 196 applied, 1 refused, 3 offline")
            // Only what differs is published the next time.
            let changed = lines.joined(separator: "\n")
                .replacingOccurrences(of: "gate-0,0", with: "gate-0,1000")
            try broker.folder.write(changed, to: "plan.csv")
            let again = try Self.run(["--plan", file, "--timeout", "86400"], on: broker)
            #expect(
                again.lines.prefix(4) == [
                    "sightline/v1/store-0/gate-0/config/desired: version 1 → version 2",
                    "- /advertise/minor 0", "+ /advertise/minor 1000", "1 of 220 documents changes",
                ])
            // The other lines are of gateways that need attention, and the sum.
            #expect(again.lines.count == 4 + 5 + 1)
            #expect(again.status == 1)
            let unchanged = try Self.run(["--plan", file], on: broker)
            #expect(unchanged.lines.count == 1 + 5 + 1)
            #expect(unchanged.lines.first == "no difference in 220 documents")
        }
    }

    @Test("a plan's faults are reported with their lines before any connection")
    func planFaults() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("site,major\na,70000\n", to: "plan.csv")
        for path in [file, folder.file("nothing")] {
            let process = try ChildProcess(
                try #require(BuiltProgram.find("sightline")),
                ["tune", "--broker", "mqtt://127.0.0.1:1", "--plan", path],
                environment: Self.environment)
            #expect(process.waitForExit() == 2)
            #expect(process.lines.count == 1)
            #expect(process.lines.first?.hasPrefix("sightline: \(path): ") == true)
        }
    }

    @Test("reads a plan from standard input")
    func planFromStandardInput() throws {
        let program = try #require(BuiltProgram.find("sightline"))
        let command =
            "printf 'site,major\\na,70000\\n' |"
            + " \(program) tune --broker mqtt://127.0.0.1:1 --plan -"
        let process = try ChildProcess("sh", ["-c", command], environment: Self.environment)
        #expect(process.waitForExit() == 2)
        #expect(
            process.lines == [
                "sightline: standard input: line 2: major must be 0…65535, not 70000"
            ])
    }

    @Test("finds all gateways of a fleet larger than a broker's queue")
    func largeFleet() throws {
        let broker = try Broker()
        var manners: [GatewayName: FakeGateways.Manner] = [:]
        for number in 0..<1500 {
            manners[GatewayName(site: "store-\(number / 10)", id: "gate-\(number)")] = .silent
        }
        let fakes = try FakeGateways(manners, on: broker)
        try withExtendedLifetime(fakes) {
            let result = try Self.run(["--timeout", "5", "report.windowMs=2000"], on: broker)
            #expect(result.lines.last == "1,500 gateways: 0 applied, 1,500 silent")
        }
    }
}

import Contract
import Foundation
import Subscriber
import TestSupport
import Testing

@testable import Tune

/// Plans for many gateways.
extension TuneProgramTests {
    @Test("a plan for 200 gateways has three offline ones and two refusals")
    func plan() throws {
        let broker = try Broker()
        var manners: [GatewayName: FakeGateways.Manner] = [:]
        var lines = ["site,major,gateway,minor"]
        for number in 0..<200 {
            let name = GatewayName(site: "store-\(number / 10)", id: "gate-\(number)")
            manners[name] =
                [5, 77, 199].contains(number)
                ? .offline : [40, 141].contains(number) ? .refuses : .applies
            lines.append("\(name.site),\(100 + number / 10),\(name.id),\(number)")
        }
        let file = try broker.folder.write(lines.joined(separator: "\n"), to: "plan.csv")
        let fakes = try FakeGateways(manners, on: broker)
        try withExtendedLifetime(fakes) {
            let dry = try Self.run(["--plan", file, "--dry-run"], on: broker)
            #expect(dry.status == 0)
            #expect(dry.lines.filter { $0.hasSuffix("no document → version 1") }.count == 220)
            #expect(try Self.retained("sightline/v1/+/config/desired", on: broker) == nil)
            let result = try Self.run(["--plan", file, "--timeout", "20"], on: broker)
            #expect(result.status == 1)
            let answers = result.lines.filter { $0.hasPrefix("store-") }
            #expect(answers.filter { $0.hasSuffix(" applied") }.count == 195)
            #expect(
                answers.filter { $0.contains(" silent (offline)") }.map {
                    $0.split(separator: " ")[0]
                } == [
                    "store-0/gate-5", "store-19/gate-199", "store-7/gate-77",
                ])
            #expect(
                answers.filter { $0.contains(" refused: ") }.map { $0.split(separator: " ")[0] }
                    .sorted() == ["store-14/gate-141", "store-4/gate-40"])
            #expect(result.lines.last == "200 gateways: 195 applied, 2 refused, 3 silent")
            // Only what differs is published the next time.
            let changed = lines.joined(separator: "\n")
                .replacingOccurrences(of: "gate-0,0", with: "gate-0,1000")
            try broker.folder.write(changed, to: "plan.csv")
            let again = try Self.run(["--plan", file, "--timeout", "1"], on: broker)
            #expect(
                again.lines.filter { $0.contains(" → ") } == [
                    "sightline/v1/store-0/gate-0/config/desired: version 1 → version 2"
                ])
            #expect(again.status == 1)
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

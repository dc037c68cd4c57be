import CommandLine
import Contract
import Inventory
import JSON
import Posix
import Primitives
import Ranging
import Terminal

/// `sightline ranging`: how far beacons of the registry are from gateways, and where, from messages in files.
struct RangingCommand: Subcommand {
    static let command = Command(
        name: "sightline ranging",
        summary: "finds how far beacons are from gateways, and where, from messages in files",
        options: [
            input,
            Option("plan", value: "FILE", help: "the floor, its gateways and zones: zones.geojson"),
            Option("registry", value: "FILE", help: "the beacons: beacons.csv"),
            Option("labels", value: "FILE", help: "where beacons stood, and when: labels.csv"),
            Option(
                "site", value: "SITE",
                help: "the site of the plan; without it, that of the first message"),
            Option("json", help: "write JSON, one object a line"),
        ], manual: manual)

    private let inputs: [String]
    private let plan: String
    private let registry: String
    private let labels: String?
    private let site: String?
    private let json: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        inputs = invocation.all("input")
        guard !inputs.isEmpty else { throw UsageError("--input FILE is missing") }
        guard let plan = invocation["plan"] else { throw UsageError("--plan FILE is missing") }
        guard let registry = invocation["registry"] else {
            throw UsageError("--registry FILE is missing")
        }
        (self.plan, self.registry) = (plan, registry)
        labels = invocation["labels"]
        site = invocation["site"]
        json = invocation.has("json")
    }

    func run(to output: inout StandardOutput) -> ExitCode {
        run(to: &output, report: StandardOutput.report)
    }

    /// Writes results to `output` and faults to `report`.
    func run(to output: inout StandardOutput, report: (String) -> Void) -> ExitCode {
        guard let plan = contents(plan, PlanDocument.maxBytes, report),
            let registry = contents(registry, Registry.maxBytes, report)
        else { return .wrongUse }
        let document = PlanDocument(parsing: plan)
        for fault in document.faults {
            report(fault.line(of: self.plan.printable(limit: 400)))
        }
        let beacons = Registry(parsing: registry)
        for fault in beacons.faults {
            report("\(self.registry.printable(limit: 400)):\(fault.line): \(fault.sentence)")
        }
        guard let plan = document.plan, beacons.faults.isEmpty,
            let labels = labels(beacons, report)
        else { return .wrongUse }
        var run = RangingRun(plan, beacons, labels: labels, site: site)
        let status = run.read(inputs, isLive: false, to: &output, report: report)
        write(run.places().beacons, to: &output)
        return run.conclude(status, report: report)
    }

    private func write(_ beacons: [RangedBeacon], to output: inout StandardOutput) {
        guard !json else {
            for beacon in beacons { output.write(beacon.json.text + "\n") }
            return
        }
        var table = TextTable(RangedBeacon.columns.map { .left($0) })
        table.rows = beacons.map(\.row)
        output.write(table.lines.map { $0 + "\n" }.joined())
    }

    /// `nil` after a fault.
    private func labels(_ registry: Registry, _ report: (String) -> Void) -> [LabelRow]? {
        guard let labels else { return [] }
        guard let bytes = contents(labels, LabelRow.maxBytes, report) else { return nil }
        let name = labels.printable(limit: 400)
        do throws(LabelRow.Fault) {
            let rows = try LabelRow.rows(parsing: bytes)
            for row in rows {
                let owner = registry.beacon(of: row.beacon, on: UTCTime(row.from).date)
                guard owner?.kind.isExpected == true else {
                    report(
                        "\(name):\(row.line): \(row.beacon) is no fixed beacon, gateway or "
                            + "asset of the registry; persons are no labels")
                    return nil
                }
            }
            return rows
        } catch {
            report("\(name):\(error.line): \(error.sentence)")
            return nil
        }
    }

    private func contents(
        _ path: String, _ most: Int, _ report: (String) -> Void
    ) -> [UInt8]? {
        do throws(TextFile.Unreadable) {
            return try TextFile.contents(
                of: TextFile.open(path, standardInput: nil), maxBytes: most)
        } catch {
            report("\(path.printable(limit: 400)): can't be read: \(error)")
            return nil
        }
    }
}

extension RangingCommand {
    /// The parts of the man page that `--help` lacks.
    private static let manual = Manual(
        [
            "Reads the windows of gateways, and writes where each beacon of the registry was in the last 10 seconds "
                + "of the input: fixed beacons, gateways and assets. Visitors and staff have no place. Lines may "
                + "have any order, and may repeat. Messages of a gateway whose clock was not set do not count.",
            "DISTANCE is that to the nearest gateway, with the interval that holds it with a probability of 90 %. "
                + "One gateway's distance is plus or minus half a room. PLACE are metres on the plan; the beacon is "
                + "within 90 % WITHIN of it with that probability. A beacon that one gateway hears has no place. "
                + "With --json, all gateways and zones are listed.",
            "zones.geojson is a FeatureCollection in metres with \"crs\": \"local\": a Polygon with role: floor, "
                + "Polygons with zone, Points with gateway and the height z. labels.csv has the columns "
                + "at,seconds,beacon,x,y,z: from the time `at`, in milliseconds since 1970, a beacon stood so many "
                + "seconds at a place. Ten labels or more make places better. Labels of visitors and staff are "
                + "refused.",
        ], exitCodes: ExitCode.manual,
        examples: [
            .init(
                "sightline ranging --plan zones.geojson --registry beacons.csv --labels labels.csv --input "
                    + "messages.jsonl",
                "Find the beacons of a store:")
        ], seeAlso: ["sightline(1)", "sightline-beacons(1)"])
}

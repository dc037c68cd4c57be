import JSON
import TestSupport
import Testing

@testable import Subcommands

@Suite("sightline ranging")
struct RangingCommandTests {
    private static let uuid = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
    private static let start: Int64 = 1_780_002_000_000
    private static let registry =
        "uuid,major,minor,kind,measuredPower\n\(uuid),1,1,fixed,-59\n\(uuid),1,2,visitor,-59\n"
        + "\(uuid),1,3,asset,-59\n"
    private static let plan = """
        {"type":"FeatureCollection","crs":"local","features":[
        {"type":"Feature","properties":{"role":"floor"},
         "geometry":{"type":"Polygon","coordinates":[[[0,0],[12,0],[12,8],[0,8],[0,0]]]}},
        {"type":"Feature","properties":{"zone":"west"},
         "geometry":{"type":"Polygon","coordinates":[[[0,0],[6,0],[6,8],[0,8],[0,0]]]}},
        {"type":"Feature","properties":{"gateway":"a","z":1},
         "geometry":{"type":"Point","coordinates":[1,4]}},
        {"type":"Feature","properties":{"gateway":"b","z":1},
         "geometry":{"type":"Point","coordinates":[11,4]}}]}
        """

    /// A window of a second in which a gateway heard beacons, by their minor numbers.
    private static func message(
        _ second: Int64, _ gateway: String, _ levels: [(minor: Int, level: Int)]
    ) -> String {
        let start = start + second * 1000
        let sightings = levels.map { minor, level in
            #"{"type":"ibeacon","uuid":"\#(uuid)","major":1,"minor":\#(minor),"#
                + #""measuredPower":-59,"count":2,"rssi":{"min":\#(level),"max":\#(level),"mean":\#(level),"#
                + #""stddev":1,"last":\#(level)},"power":{"mean":\#(level),"centroid":400},"#
                + #""firstSeen":0,"lastSeen":900,"maxAt":500,"senders":1}"#
        }
        return #"{"v":1,"site":"s","gateway":"\#(gateway)","session":"a","seq":\#(second),"#
            + #""window":{"start":\#(start),"end":\#(start + 1000)},"clock":"synced","#
            + #""radio":{"reports":0,"beacons":0,"filtered":0,"malformed":0,"implausible":0,"dropped":0},"#
            + #""sightings":[\#(sightings.joined(separator: ","))]}"#
    }

    /// Beacon 1 near gateway a; the visitor 2 beside it; the asset 3 at b alone.
    private static let messages = (0..<20 as Range<Int64>).flatMap { second in
        [
            message(second, "a", [(1, -62), (2, -60)]),
            message(second, "b", [(1, -84), (2, -82), (3, -70)]),
        ]
    }

    private static func run(
        _ lines: [String] = messages, plan: String = plan, labels: String? = nil,
        _ more: [String] = ["--json"]
    ) throws -> (lines: [String], status: Int32?) {
        let folder = try TemporaryFolder()
        let program = try #require(BuiltProgram.find("sightline"))
        var arguments = [
            "ranging", "--plan", try folder.write(plan, to: "zones.geojson"), "--registry",
            try folder.write(registry, to: "beacons.csv"), "--input",
            try folder.write(lines.joined(separator: "\n"), to: "input"),
        ]
        if let labels { arguments += ["--labels", try folder.write(labels, to: "labels.csv")] }
        let child = try ChildProcess(program, arguments + more)
        let status = child.waitForExit()
        return (child.lines, status)
    }

    @Test("things have distances, an area and zones; a visitor has nothing")
    func places() throws {
        let (lines, status) = try Self.run()
        #expect(status == 0)
        let beacons = try lines.map { try JSON(parsing: Array($0.utf8), maxBytes: 100_000) }
        #expect(
            beacons.map { $0["beacon"] } == [
                .string("\(Self.uuid)/1/1"), .string("\(Self.uuid)/1/3"),
            ])
        #expect(beacons[0]["nearest"]?["gateway"] == "a")
        #expect(beacons[0]["place"]?["radius"] != nil && beacons[0]["zones"]?["west"] != nil)
        // One gateway hears the asset: a distance, and no place.
        #expect(beacons[1]["place"] == nil && beacons[1]["zone"] == nil)
        guard case .array(let gateways)? = beacons[1]["gateways"] else {
            Issue.record("no gateways")
            return
        }
        #expect(gateways.map { $0["gateway"] } == ["b"])
        let other = try Self.run(Self.messages.reversed() + Self.messages)
        #expect(other.lines == lines)
    }

    @Test("labels of a visitor are refused, and those of a thing are taken")
    func labels() throws {
        let header = "at,seconds,beacon,x,y,z\n"
        let visitor = try Self.run(labels: header + "\(Self.start),10,\(Self.uuid)/1/2,2,4,1\n")
        #expect(visitor.status == 2)
        #expect(visitor.lines.contains { $0.contains("labels.csv:2: ") })
        #expect(visitor.lines.contains { $0.contains("persons are no labels") })
        let thing = try Self.run(labels: header + "\(Self.start),10,\(Self.uuid)/1/1,2,4,1\n")
        #expect(thing.status == 0)
        #expect(thing.lines != (try Self.run().lines))
        let faulty = try Self.run(labels: header + "\(Self.start),10,\(Self.uuid)/1/1,2,four,1\n")
        #expect(faulty.status == 2)
        #expect(faulty.lines.contains { $0.contains("labels.csv:2: x, y and z must be metres") })
    }

    @Test("a gateway whose clock was not set does not decide which windows are the last")
    func unsynced() throws {
        let late = Self.message(100_000, "b", [(1, -60)]).replacing("synced", with: "unsynced")
        #expect(try Self.run(Self.messages + [late]).lines == Self.run().lines)
        let (lines, _) = try Self.run([late])
        #expect(lines.contains { $0.contains("of a clock that was not set") })
    }

    @Test("a fault of the plan names its feature")
    func fault() throws {
        let wide = Self.plan.replacing("[6,0],[6,8]", with: "[60,0],[60,8]")
        let (lines, status) = try Self.run(plan: wide)
        #expect(status == 2)
        #expect(lines.contains { $0.contains("/features/1: the zone “west” is outside") })
    }

    @Test("the table has the interval beside each distance")
    func table() throws {
        let (lines, status) = try Self.run(Self.messages, [])
        #expect(status == 0)
        #expect(lines.first?.hasPrefix("BEACON") == true)
        #expect(lines.count == 3 && lines[2].contains("unknown"))
    }
}

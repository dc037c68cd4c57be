import Contract
import Foundation
import HomeAssistant
import Inventory
import JSON
import Queueing
import Ranging
import Regions
import Results
import TestSupport
import Testing

/// The discovery documents, and what Home Assistant makes of the contract's examples with them.
@Suite(
    "discovery documents of results",
    .enabled(if: Tool.works("/usr/bin/python3", ["-c", "import jinja2"])))
struct ResultDiscoveryTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let topics = ResultTopics(root: "sightline/results/v1")
    private static let beacon = "e2c56db5-dffb-48d2-b060-d0f5a71096e0/1/1"

    private static func example(_ name: String) throws -> String {
        let path = root.appendingPathComponent("config/contract/examples/results/\(name).json")
        return try String(contentsOf: path, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func discovery(_ kind: ResultKind, _ item: String) throws -> ResultDiscovery {
        try #require(
            ResultDiscovery(
                kind, prefix: "homeassistant", topics: topics, site: "store-042", item: item,
                server: "s", version: "0.1.0"))
    }

    @Test("the documents follow Home Assistant's reference, and their templates read the examples")
    func reference() throws {
        var lines = [true, false].map { isOnline in
            let status = ServerStatus(
                isOnline: isOnline, version: "0.1.0", session: "1", isDurable: true)
            return "\(Self.topics.status(of: "s")) \(status.json.text)"
        }
        let kinds: [(ResultKind, String, [String])] = [
            (QueueResult.kind, "q", ["queue.known", "queue.unknown"]),
            (RegionResult.kind, "r", ["region.known", "region.degraded", "region.unknown"]),
            (ZoneResult.kind, "west", ["zone.degraded"]),
            (BeaconResult.kind, Self.beacon, ["beacon.missing"]),
        ]
        for (kind, item, examples) in kinds {
            let discovery = try Self.discovery(kind, item)
            lines.append("\(discovery.topic) \(String(decoding: discovery.encoded, as: UTF8.self))")
            let topic = Self.topics.topic(
                try #require(kind.topic), site: "store-042", item: item)
            for example in examples { lines.append("\(topic) \(try Self.example(example))") }
        }
        let folder = try TemporaryFolder()
        let file = try folder.write(lines.joined(separator: "\n"), to: "messages")
        try Tool.run(
            Self.root.appendingPathComponent("Tests/Contract/check-discovery").path, [file])
    }

    /// Renders templates: a row has the template, the message, and the expected state.
    private static let script = """
        import json, sys, jinja2
        environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
        for template, message, state in json.load(open(sys.argv[1])):
            found = environment.from_string(template).render(value_json=message)
            if found != state:
                sys.exit(f"{found}, not {state}: {template} of {message}")
        """

    /// - Parameter changes: of the example's text.
    private static func check(
        _ kind: ResultKind, _ entity: String, _ example: String,
        _ states: [(changes: [(String, String)], state: String)]
    ) throws {
        let document = try JSON(
            parsing: try discovery(kind, "i").encoded, maxBytes: 1 << 20)
        let template = try #require(document["components"]?[entity]?["value_template"])
        let rows: [JSON] = try states.map { changes, state in
            var text = try Self.example(example)
            for (old, new) in changes {
                #expect(text.contains(old))
                text = text.replacing(old, with: new)
            }
            return .array([
                template, try JSON(parsing: Array(text.utf8), maxBytes: 10_000), .string(state),
            ])
        }
        let folder = try TemporaryFolder()
        let file = try folder.write(JSON.array(rows).text, to: "rows")
        try Tool.run("/usr/bin/python3", ["-c", script, file])
    }

    @Test("a region is occupied, vacant, or unknown where a beacon may be in it")
    func region() throws {
        let known = (#""state":"degraded""#, #""state":"ok""#)
        try Self.check(
            RegionResult.kind, "occupancy", "region.degraded",
            [
                ([], "None"), ([known], "None"), ([(#""unknown":2"#, #""unknown":0"#)], "None"),
                ([known, (#""unknown":2"#, #""unknown":0"#)], "OFF"),
                ([(#""inside":0"#, #""inside":1"#)], "ON"),
            ])
        try Self.check(RegionResult.kind, "occupancy", "region.unknown", [([], "None")])
    }

    @Test("a zone is occupied or vacant where the interval says so, and unknown between")
    func zone() throws {
        let visitors = #"{"expected":0.0,"low":0,"high":0}"#
        let replaced = { (text: String) in [(#""visitors":"# + visitors, #""visitors":"# + text)] }
        try Self.check(
            ZoneResult.kind, "occupancy", "zone.degraded",
            [
                ([], "OFF"), (replaced(#"{"expected":0.4,"low":0,"high":1}"#), "None"),
                (replaced(#"{"expected":0.9,"low":1,"high":1}"#), "ON"),
                (replaced("null"), "None"),
            ])
    }

    @Test("a beacon is home where it is heard in the site, also after it was moved")
    func tracker() throws {
        let state = { (word: String) in [(#""state":"missing""#, #""state":"\#(word)""#)] }
        try Self.check(
            BeaconResult.kind, "tracker", "beacon.missing",
            [
                ([], "not_home"), (state("moved"), "home"), (state("ok"), "home"),
                (state("unknown"), "unknown"), (state("clone"), "unknown"),
            ])
    }
}

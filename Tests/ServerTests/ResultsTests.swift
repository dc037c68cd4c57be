import Foundation
import HTTP
import JSON
import MQTT
import Posix
import Results
import TestSupport
import Testing

@testable import Server

@Suite("results on their way")
struct ResultsTests {
    private func publication(_ topic: String, _ byte: UInt8, retained: Bool) -> Publication {
        Publication(topic: topic, payload: [byte], isRetained: retained)
    }

    @Test("a written status of the server equals the example")
    func status() throws {
        let message = ServerStatus(
            isOnline: true, version: "0.1.0",
            session: "0198c9a2-6f0e-7a51-9d0b-3f2b7c1e5a10", isDurable: true)
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("config/contract/examples/server-status.online.json")
        #expect([UInt8](try Data(contentsOf: path)) == message.json.bytes + [UInt8(ascii: "\n")])
    }

    @Test("a retained result replaces an older one of its topic; others keep their order")
    func replacement() {
        var queue = PublicationQueue()
        queue.add(publication("a", 1, retained: true))
        queue.add(publication("b", 2, retained: false))
        queue.add(publication("a", 3, retained: true))
        queue.add(publication("b", 4, retained: false))
        var sent: [UInt8] = []
        queue.send {
            sent += $0.payload
            return true
        }
        #expect(sent == [3, 2, 4])
        #expect(queue.isEmpty)
    }

    @Test("what the broker does not take stays, within a bound")
    func bound() {
        var queue = PublicationQueue()
        for _ in 0..<PublicationQueue.most + 5 {
            queue.add(publication("b", 0, retained: false))
        }
        #expect(queue.dropped == 5)
        var left = 3
        queue.send { _ in
            left -= 1
            return left >= 0
        }
        #expect(!queue.isEmpty)
    }

    @Test("a table has a column for each number, and nothing for unknown ones")
    func table() throws {
        let known: JSON = [
            "start": 0, "end": 60_000, "state": "ok",
            "length": ["mean": .number(1.5), "end": 2, "people": .number(2), "low": 1, "high": 3],
            "joined": 1,
        ]
        let unknown: JSON = ["start": 60_000, "end": 120_000, "state": "unknown", "length": .null]
        // One minute in a part.
        let parts = History(site: "s", queue: "q", step: "minute", span: 0..<120_000)
            .csv { $0.lowerBound == 0 ? ([known], 60_000..<120_000) : ([unknown], nil) }
        var csv = ""
        while let part = try parts() { csv += String(decoding: part, as: UTF8.self) }
        let rows = csv.split(separator: "\r\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        #expect(rows.count == 3)
        #expect(Set(rows.map(\.count)).count == 1)
        #expect(rows[1].prefix(8).joined(separator: ",") == "0,60000,,,ok,,1.5,2")
        #expect(rows[2].dropFirst(2).filter { !$0.isEmpty } == ["unknown"])
    }

    @Test("the table of minutes has every value of a minute, of its reasons and of a restatement")
    func columns() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("config/contract/examples/results")
        func minute(_ name: String) throws -> JSON {
            let path = folder.appendingPathComponent("queue-minute.\(name).json")
            return try JSON(parsing: [UInt8](try Data(contentsOf: path)), maxBytes: 10_000)
        }
        guard case .object(var members) = try minute("known") else {
            throw TestFailure("no example")
        }
        let restated: JSON = [
            "rev": 1, "people": .number(2.5), "waitMs": 60_000, "served": 3, "abandoned": 0,
            "medianMs": 50_000,
            "reasons": [
                ["gateway": "e-1", "state": "unknown", "ms": 2000],
                ["gateway": "t", "state": "deaf", "ms": 3],
            ],
        ]
        members.append(.init("restated", restated))
        let periods: [JSON] = [.object(members), try minute("unknown")]
        let parts = History(site: "s", queue: "q", step: "minute", span: 0..<120_000)
            .csv { _ in (periods, nil) }
        let text = String(decoding: try parts() ?? [], as: UTF8.self)
        let rows = text.split(separator: "\r\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        #expect(rows.map(\.count) == Array(repeating: rows[0].count, count: 3))
        let known = Dictionary(zip(rows[0], rows[1])) { first, _ in first }
        let unknown = Dictionary(zip(rows[0], rows[2])) { first, _ in first }
        #expect(known.count == rows[0].count)
        let names = ["v", "kind", "site", "queue", "littleResidualMs"]
        for (place, value) in Self.leaves(.object(members)) where !names.contains(place) {
            #expect(known[place] == value, "\(place)")
        }
        #expect(known["restated.reasons"] == "e-1 unknown 2000; t deaf 3")
        #expect(known["scores.meanErrorMs"] == "31009")
        #expect(unknown["reasons"] == "till deaf 60000")
        #expect(unknown["coverage.percent"] == "30")
        #expect(unknown["scores.scored"] == "")
    }

    /// The places of all values that are no list, each with its text.
    private static func leaves(_ json: JSON, in place: String = "") -> [(String, String)] {
        switch json {
        case .object(let members):
            members.flatMap { leaves($0.value, in: place.isEmpty ? $0.key : "\(place).\($0.key)") }
        case .array: []
        case .null: [(place, "")]
        case .string(let text): [(place, text)]
        default: [(place, json.text)]
        }
    }

    @Test("the stream says whether the broker is connected")
    func connection() throws {
        let files = try QueueServer()
        let state = ServerState(session: .begin(), sites: [], store: files.store())
        #expect(state.snapshot(of: nil, for: .read)["server"]?["connected"] == false)
        state.show(disconnection: nil)
        #expect(state.snapshot(of: nil, for: .read)["server"]?["connected"] == true)
    }

    @Test(
        "the tuning of a gateway is for the scope read, in the list, the snapshot and the changes",
        arguments: [nil, Scope.public, .read, .manage] as [Scope?])
    func tuning(scope: Scope?) throws {
        let files = try QueueServer()
        let store = files.store()
        defer { store.close() }
        let state = ServerState(
            session: .begin(), sites: [try files.site(store)], store: store)
        let isWhole = scope == .read || scope == .manage
        let snapshot = state.snapshot(of: nil, for: scope)
        let expected: JSON? = isWhole ? .null : nil
        guard case .array(let gateways)? = snapshot["gateways"] else {
            throw TestFailure("no gateways: \(snapshot)")
        }
        #expect(gateways.count == 2)
        #expect(gateways.allSatisfy { $0["tuning"] == expected && $0["state"] != nil })
        let answer = try state.answer("/api/v1/sites/s/gateways", scope: scope)
        guard case .bytes(let bytes) = answer.body else { throw TestFailure("no list") }
        #expect(
            try JSON(parsing: bytes, maxBytes: 10_000)["gateways"] == .array(gateways))
    }

    @Test("every path parameter and every schema of the description exists")
    func description() throws {
        let document = OpenAPI.document
        let text = document.text
        let schemas = document["components"]?["schemas"]
        var rest = text[...]
        let mark = "\"#/components/schemas/"
        while let start = rest.range(of: mark) {
            rest = rest[start.upperBound...]
            let name = String(rest.prefix { $0 != "\"" })
            let schema = name.split(separator: "/").reduce(schemas) { $0?[String($1)] }
            #expect(schema != nil, "\(name)")
        }
        #expect(!text.contains("common.json"))
        #expect(Set(Endpoint.all.map(\.operation)).count == Endpoint.all.count)
    }

    @Test("the security of each operation names its scope")
    func security() throws {
        #expect(OpenAPI.document["security"] == nil)
        for endpoint in Endpoint.all {
            let operation = OpenAPI.document["paths"]?[endpoint.path]?[
                endpoint.method.rawValue.lowercased()]
            let scope = try #require(endpoint.scope)
            let token: JSON = ["token": [.string(scope.rawValue)]]
            #expect(
                operation?["security"] == (scope == .manage ? [token] : [.object([]), token]),
                "\(endpoint.path)")
        }
    }

    @Test("the scope public opens the present, typical days, health and the description only")
    func publicScope() throws {
        let open = Endpoint.all.filter { $0.scope == .public }.map(\.operation)
        #expect(
            open == [
                "listSites", "listQueues", "getQueue", "listRegions", "getRegion", "listZones",
                "getZone", "listGateways", "getStream", "getPlan", "getTypical", "getHealth",
                "getDescription",
            ])
        let changes = Endpoint.all.filter { $0.scope == .manage }.map(\.operation)
        #expect(changes == ["addLabel", "removeLabel", "setRegion", "removeRegion"])
        #expect(Endpoint.all.allSatisfy { ($0.scope == .manage) == !$0.method.isSafe })
        guard case .string(let text)? = OpenAPI.document["info"]?["description"] else {
            throw TestFailure("no description")
        }
        for scope in Scope.allCases {
            #expect(text.contains("`\(scope.rawValue)`"), "\(scope)")
        }
    }

    @Test("the description says which errors are no problem documents")
    func errors() throws {
        guard case .string(let text)? = OpenAPI.document["info"]?["description"] else {
            throw TestFailure("no description")
        }
        for word in ["400", "414", "431", "505", "HTML"] {
            #expect(text.contains(word), "\(word)")
        }
    }
}

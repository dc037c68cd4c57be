import Foundation
import JSON
import Primitives
import TestSupport
import Testing

@testable import Queueing

/// The documents of results match the schemas and the examples in `config/contract`.
@Suite("documents of results")
struct ResultDocumentsTests {
    private static let contract = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("config/contract").path

    private static func read(_ path: String) throws -> JSON {
        let data = try Data(contentsOf: URL(fileURLWithPath: "\(contract)/\(path)"))
        return try JSON(parsing: Array(data), maxBytes: 1 << 20)
    }

    /// Where a value breaks a schema. It knows the words that the schemas of results use, and closes their objects.
    private static func faults(_ value: JSON, _ schema: JSON, at place: String = "") -> [String] {
        if let constant = schema["const"], constant != value {
            return ["\(place): not the constant"]
        }
        if case .array(let words)? = schema["enum"], !words.contains(value) {
            return ["\(place): not one of the words"]
        }
        let types: [JSON]? =
            switch schema["type"] {
            case .array(let types)?: types
            case let type?: [type]
            case nil: nil
            }
        let type: JSON =
            switch value {
            case .null: "null"
            case .bool: "boolean"
            case .integer: "integer"
            case .number: "number"
            case .string: "string"
            case .array: "array"
            case .object: "object"
            }
        if let types, !types.contains(type), !(type == "integer" && types.contains("number")) {
            return ["\(place): \(type.text)"]
        }
        switch value {
        case .array(let elements):
            guard let items = schema["items"] else { return [] }
            return elements.enumerated().flatMap { faults($1, items, at: "\(place)/\($0)") }
        case .object(let members):
            guard case .object(let properties)? = schema["properties"] else { return [] }
            let missing = required(schema).filter { value[$0] == nil }
            return missing.map { "\(place)/\($0): missing" }
                + members.flatMap { member in
                    properties.first { $0.key == member.key }.map {
                        faults(member.value, $0.value, at: "\(place)/\(member.key)")
                    } ?? ["\(place)/\(member.key): not in the schema"]
                }
        default: return []
        }
    }

    private static func required(_ schema: JSON) -> [String] {
        guard case .array(let names)? = schema["required"] else { return [] }
        return names.compactMap { if case .string(let name) = $0 { name } else { nil } }
    }

    /// Twelve visits with a target and a coverage, and the queue near their end.
    private static func documents(deaf: Range<Int64>) throws -> [String: JSON] {
        var layout = try Scene.layout()
        layout.queues[0].targetWait = .seconds(300)
        layout.queues[0].coverage = CoverageSettings {
            $0.percent = 30
            $0.low = 25
            $0.high = 35
        }
        let walks = (0..<12).map { (index: Int64) in
            Scene.Walk(
                tag: UInt64(index + 1), joined: 60 + index * 61,
                left: 150 + index * 61 + index % 4 * 20)
        }
        let messages = Scene.messages(walks, seconds: 0..<960, seed: 7) { gateway, second in
            gateway == "till" && deaf.contains(second) ? .deaf : .hearing
        }
        let present =
            messages.firstIndex { $0.window.span.lowerBound >= Scene.second(840).start } ?? 0
        var estimator = QueueEstimator(layout, learning: .zero)
        for message in messages[..<present] {
            _ = estimator.take(message.window, from: message.gateway)
        }
        estimator.advance(through: Scene.second(840))
        let now = estimator.now[0].json(site: "store-042", rev: 812, isDurable: true)
        for message in messages[present...] {
            _ = estimator.take(message.window, from: message.gateway)
        }
        let results = estimator.finish()
        let minute = try #require(
            results.periods.first { $0.seconds.lowerBound == Scene.second(720) })
        let visit = try #require(results.visits.first)
        return [
            "queue": now, "queue-minute": minute.json(site: "store-042", rev: 2, isFinal: true),
            "queue-visit": visit.json(site: "store-042"),
        ]
    }

    @Test(
        "a document matches its schema and its example",
        arguments: ["queue", "queue-minute", "queue-visit"], ["known", "unknown"])
    func documents(kind: String, state: String) throws {
        let documents = try Self.documents(deaf: state == "unknown" ? 700..<840 : 0..<0)
        let document = try #require(documents[kind])
        let schema = try Self.read("schemas/\(kind).json")
        #expect(Self.faults(document, schema).isEmpty)
        guard kind != "queue-visit" || state == "known" else { return }
        // Compared as text: a whole number may be written with or without a fraction.
        #expect(try Checkout.isResult("\(kind).\(state)", document.text))
        if state == "unknown" {
            for key in ["length", "leavers", "wait", "waits", "joined"]
            where schema["properties"]?[key] != nil {
                #expect(document[key] == .null, "\(key)")
            }
            if kind == "queue" { #expect(document["target"]?["isOver"] == .null) }
        }
    }

    @Test("restatements go on from stored documents")
    func restored() throws {
        let periods = try Scene.results(
            Scene.messages([Scene.Walk(tag: 1, joined: 60, left: 160)], seconds: 0..<240, seed: 1)
        ).periods
        var first = Restatements()
        let published = periods.compactMap { first.result(of: $0, site: "s", isFinal: false)?.json }
        #expect(published.count == 4)
        var second = Restatements()
        for document in published {
            // As a table has it.
            second.restore(try JSON(parsing: Array(document.text.utf8), maxBytes: 10_000))
        }
        for period in periods {
            #expect(second.result(of: period, site: "s", isFinal: false)?.json == nil)
            let final = second.result(of: period, site: "s", isFinal: true)?.json
            #expect(final?["rev"] == 1)
        }
        // A minute with other contents has the next number.
        second.restore(try JSON(parsing: Array(published[1].text.utf8), maxBytes: 10_000))
        let others = try Scene.results(
            Scene.messages([Scene.Walk(tag: 1, joined: 70, left: 175)], seconds: 0..<240, seed: 2)
        ).periods
        let restated = second.result(of: others[1], site: "s", isFinal: false)?.json
        #expect(restated?["rev"] == 2)
    }
}

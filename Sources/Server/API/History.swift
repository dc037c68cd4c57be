import HTTP
import JSON
import Primitives

/// The answer to a question about the past of a queue.
struct History {
    let site: String
    let queue: String
    let step: String
    let span: Range<UnixTime>

    /// Some periods at the beginning of a time, and the rest of the time; `nil` where there are no more.
    typealias Source = (Range<UnixTime>) throws(Problem) -> (
        periods: [JSON], rest: Range<UnixTime>?
    )

    /// JSON with all periods, part by part. The call after the last part returns `nil`.
    func json(_ source: @escaping Source) -> () throws(Problem) -> [UInt8]? {
        let head: JSON = [
            "site": .string(site), "queue": .string(queue), "step": .string(step),
            "from": .integer(span.lowerBound.milliseconds),
            "to": .integer(span.upperBound.milliseconds),
        ]
        // The list follows in the place of the closing brace.
        var text = String(head.text.dropLast()) + ",\"periods\":["
        var separator = ""
        return parts(of: source) { periods in
            for period in periods {
                text += separator + period.text
                separator = ","
            }
            defer { text = "" }
            return text
        } end: {
            "]}"
        }
    }

    /// A table (RFC 4180), part by part. A value that is not known is empty.
    func csv(_ source: @escaping Source) -> () throws(Problem) -> [UInt8]? {
        let columns = step == "minute" ? Self.ofMinutes : Self.ofPeriods
        var head = [columns]
        return parts(of: source) { periods in
            let rows = head + periods.map { period in columns.map { Self.cell(period, $0) } }
            head = []
            return rows.map { $0.joined(separator: ",") + "\r\n" }.joined()
        } end: {
            ""
        }
    }

    private func parts(
        of source: @escaping Source, _ text: @escaping ([JSON]) -> String,
        end: @escaping () -> String
    ) -> () throws(Problem) -> [UInt8]? {
        var rest: Range<UnixTime>? = span
        return { () throws(Problem) in
            guard let span = rest else { return nil }
            let found = try source(span)
            rest = found.rest
            return Array((text(found.periods) + (rest == nil ? end() : "")).utf8)
        }
    }

    /// The columns of an object's members.
    private static func columns(_ object: String, _ members: [String]) -> [String] {
        members.map { "\(object).\($0)" }
    }

    private static let waits = columns("waits", ["count", "meanMs", "medianMs", "p90Ms", "maxMs"])
    private static let scores = ["scored", "forecastMs", "waitMs", "meanErrorMs", "inInterval"]
    // Columns that were added later stand behind the others. Swift 6.0 can't check a long sum of lists.
    private static let ofMinutes: [String] = Array(
        [
            ["start", "end", "rev", "final", "state", "knownMs"],
            columns("length", ["mean", "end", "people", "low", "high"]),
            ["joined", "served", "abandoned"], waits,
            columns("forecast", ["waitMs", "lowMs", "highMs"]), ["length.max"],
            columns("forecast", ["learning", "scored", "meanErrorMs", "meanWaitMs", "inInterval"]),
            columns("scores", scores), ["overTargetMs"],
            columns("coverage", ["percent", "lowPercent", "highPercent"]), ["reasons"],
            columns(
                "restated",
                ["rev", "people", "waitMs", "served", "abandoned", "medianMs", "reasons"]),
        ].joined())
    private static let ofPeriods: [String] = Array(
        [
            ["start", "end", "state", "knownMs", "lengthMs", "length.mean", "length.max"],
            ["joined", "served", "abandoned"], waits, ["overTargetMs"],
            columns("scores", scores),
            columns("waits", ["medianLowMs", "medianHighMs", "p90LowMs", "p90HighMs"]),
        ].joined())

    /// A gateway that did not hear, its state, and for how many milliseconds: `till-1 deaf 60000`.
    private static func text(of reason: JSON) -> String {
        ["gateway", "state", "ms"].compactMap { key in
            if case .string(let text)? = reason[key] { return text }
            return reason[key]?.text
        }.joined(separator: " ")
    }

    /// The value at a place such as `length.mean`.
    private static func cell(_ json: JSON, _ place: String) -> String {
        let value = place.split(separator: ".").reduce(Optional(json)) { value, key in
            value?[String(key)]
        }
        return switch value {
        case nil, .null: ""
        case .string(let text): text
        case .array(let reasons): reasons.map { text(of: $0) }.joined(separator: "; ")
        case .some(let value): value.text
        }
    }
}

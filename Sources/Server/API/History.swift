import JSON
import Primitives

/// The answer to a question about the past of a queue.
struct History {
    let site: String
    let queue: String
    let step: String
    let span: Range<UnixTime>
    let periods: [JSON]

    var json: JSON {
        [
            "site": .string(site), "queue": .string(queue), "step": .string(step),
            "from": .integer(span.lowerBound.milliseconds),
            "to": .integer(span.upperBound.milliseconds),
            "periods": .array(periods),
        ]
    }

    /// A table (RFC 4180). A value that is not known is empty.
    var csv: String {
        let columns = step == "minute" ? Self.ofMinutes : Self.ofPeriods
        let rows = periods.map { period in columns.map { Self.cell(period, $0) } }
        return ([columns] + rows).map { $0.joined(separator: ",") + "\r\n" }.joined()
    }

    private static let waits = ["count", "meanMs", "medianMs", "p90Ms", "maxMs"].map {
        "waits." + $0
    }
    private static let ofMinutes =
        [
            "start", "end", "rev", "final", "state", "knownMs", "length.mean", "length.end",
            "length.people", "length.low", "length.high", "joined", "served", "abandoned",
        ] + waits + ["forecast.waitMs", "forecast.lowMs", "forecast.highMs"]
    private static let ofPeriods =
        [
            "start", "end", "state", "knownMs", "lengthMs", "length.mean", "length.max", "joined",
            "served", "abandoned",
        ] + waits + ["overTargetMs"]

    /// The value at a place such as `length.mean`.
    private static func cell(_ json: JSON, _ place: String) -> String {
        let value = place.split(separator: ".").reduce(Optional(json)) { value, key in
            value?[String(key)]
        }
        return switch value {
        case nil, .null: ""
        case .string(let text): text
        case .some(let value): value.text
        }
    }
}

extension JSON {
    /// An object with one array of values that are JSON text already.
    static func listBytes(_ name: String, _ values: [[UInt8]]) -> [UInt8] {
        var bytes = Array("{\"\(name)\":[".utf8)
        bytes += values.joined(separator: [UInt8(ascii: ",")])
        return bytes + Array("]}".utf8)
    }
}

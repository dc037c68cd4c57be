import JSON
import Primitives

extension PeriodSummary {
    /// The published form of an hour or a day.
    package func json(_ span: Range<UnixTime>) -> JSON {
        let isUnknown = state == .unknown
        let known = { (json: JSON) in isUnknown ? JSON.null : json }
        return [
            "start": .integer(span.lowerBound.milliseconds),
            "end": .integer(span.upperBound.milliseconds),
            "knownMs": .milliseconds(time.known), "lengthMs": .milliseconds(time.whole),
            "state": .string(state.rawValue),
            "length": known([
                "mean": .rounded(meanLength, places: 3),
                "max": .integer(maxLength),
            ]),
            "joined": known(.integer(joined)), "served": known(.integer(served)),
            "abandoned": known(.integer(abandoned)), "waits": known(waits.json),
            "scores": known(scores.json),
            "overTargetMs": known(.milliseconds(time.overTarget)),
        ]
    }

    /// What a table stores.
    package var stored: JSON {
        [
            "v": 1, "lengthMs": .milliseconds(time.whole), "knownMs": .milliseconds(time.known),
            "okMs": .milliseconds(time.ok), "personSeconds": .integer(line.personSeconds),
            "seconds": .integer(line.seconds), "longest": .integer(line.longest),
            "joined": .integer(line.joined), "served": .integer(line.served),
            "abandoned": .integer(line.abandoned), "waits": waits.stored, "scores": scores.stored,
            "overTargetMs": .milliseconds(time.overTarget),
        ]
    }

    /// Reads what `stored` wrote; throws all faults.
    package init(stored json: JSON) throws(Faults) {
        self = try ObjectReader.decode(json) { reader in
            let number = { (reader: inout ObjectReader, key: String) in
                reader.integer(key, in: 0...Int64.max / 1000)
            }
            _ = reader.integer("v", in: 1...1)
            var summary = PeriodSummary()
            summary.time.whole = .milliseconds(number(&reader, "lengthMs"))
            summary.time.known = .milliseconds(number(&reader, "knownMs"))
            summary.time.ok = .milliseconds(number(&reader, "okMs"))
            summary.line = LineSums(
                personSeconds: number(&reader, "personSeconds"),
                seconds: number(&reader, "seconds"),
                longest: number(&reader, "longest"), joined: number(&reader, "joined"),
                abandoned: number(&reader, "abandoned"))
            summary.waits = reader.object("waits") { WaitHistogram(&$0) } ?? WaitHistogram()
            // Rows of earlier versions count only those whose wait is known.
            summary.line.served =
                reader.has("served") ? number(&reader, "served") : summary.waits.count
            if let scores = ForecastScores(reader.json("scores")) {
                summary.scores = scores
            } else {
                reader.note("scores", .wrongType, "scores must be five whole numbers")
            }
            // Null: not known. Rows of earlier versions have 0 there.
            if reader.json("overTargetMs") != .null {
                summary.time.overTarget = .milliseconds(number(&reader, "overTargetMs"))
            }
            return summary
        }
    }
}

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
            "knownMs": .integer(knownMs), "lengthMs": .integer(lengthMs),
            "state": .string(state.rawValue),
            "length": known([
                "mean": meanLength.map { .rounded($0, places: 3) } ?? .null,
                "max": .integer(maxLength),
            ]),
            "joined": known(.integer(joined)), "served": known(.integer(served)),
            "abandoned": known(.integer(abandoned)), "waits": known(waits.json),
            "forecast": known(scores.json), "overTargetMs": known(.integer(overTargetMs)),
        ]
    }

    /// What a table stores.
    package var stored: JSON {
        [
            "v": 1, "lengthMs": .integer(lengthMs), "knownMs": .integer(knownMs),
            "okMs": .integer(okMs), "personSeconds": .integer(line.personSeconds),
            "seconds": .integer(line.seconds), "longest": .integer(line.longest),
            "joined": .integer(line.joined), "abandoned": .integer(line.abandoned),
            "waits": waits.stored, "scores": scores.stored, "overTargetMs": .integer(overTargetMs),
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
            summary.lengthMs = number(&reader, "lengthMs")
            summary.knownMs = number(&reader, "knownMs")
            summary.okMs = number(&reader, "okMs")
            summary.line = LineSums(
                personSeconds: number(&reader, "personSeconds"),
                seconds: number(&reader, "seconds"),
                longest: number(&reader, "longest"), joined: number(&reader, "joined"),
                abandoned: number(&reader, "abandoned"))
            summary.waits = reader.object("waits") { WaitHistogram(&$0) } ?? WaitHistogram()
            if let scores = ForecastScores(reader.json("scores")) {
                summary.scores = scores
            } else {
                reader.note("scores", .wrongType, "scores must be five whole numbers")
            }
            summary.overTargetMs = number(&reader, "overTargetMs")
            return summary
        }
    }
}

import Facts
import JSON
import Primitives
import Results

/// The sums of one minute or of many: minutes add up to hours, hours to days.
///
/// `merge` is associative and commutative, and `PeriodSummary()` is its neutral element. Minutes without knowledge
/// add to the length of the time only.
package struct PeriodSummary: Equatable, Sendable {
    var time = PeriodTime()
    var line = LineSums()
    package internal(set) var waits = WaitHistogram()
    package internal(set) var scores = ForecastScores()

    package init() {}

    package init(_ period: QueuePeriod) {
        time.whole = period.seconds.duration
        guard period.state != .unknown else { return }
        time.known = period.known
        time.ok = period.state == .ok ? time.whole : .zero
        time.overTarget = period.overTarget
        line = period.line.sums
        waits = WaitHistogram(period.line.waits.sorted)
        scores = period.scores
    }

    package mutating func merge(_ other: PeriodSummary) {
        time.merge(other.time)
        line.merge(other.line)
        waits.merge(other.waits)
        scores.merge(other.scores)
    }

    package var state: QueuePeriod.State {
        if time.known <= time.whole / 2 { return .unknown }
        return time.ok == time.whole ? .ok : .degraded
    }

    package var meanLength: Double? { line.meanLength }
    package var maxLength: Int64 { line.longest }
    package var joined: Int64 { line.joined }
    package var abandoned: Int64 { line.abandoned }
    package var served: Int64 { line.served }
}

/// The time that sums stand for, and its known and good parts.
struct PeriodTime: Equatable, Sendable {
    var whole = Duration.zero
    /// In which entry and till were certainly both heard, in minutes that are not `unknown`.
    var known = Duration.zero
    /// Of minutes that are `ok`.
    var ok = Duration.zero
    /// In which the forecast was above the queue's target; `nil` where no minute had a forecast and a target.
    var overTarget: Duration?

    mutating func merge(_ other: PeriodTime) {
        whole += other.whole
        known += other.known
        ok += other.ok
        if let more = other.overTarget { overTarget = (overTarget ?? .zero) + more }
    }
}

extension PeriodSummary {
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

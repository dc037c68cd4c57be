/// The sums of one minute or of many: minutes add up to hours, hours to days.
///
/// `merge` is associative and commutative, and `PeriodSummary()` is its neutral element. Minutes without knowledge
/// add to the length of the time only.
package struct PeriodSummary: Equatable, Sendable {
    /// Milliseconds: of the whole time, of the time in which entry and till were heard, of minutes that are `ok`.
    package internal(set) var lengthMs: Int64 = 0
    package internal(set) var knownMs: Int64 = 0
    var okMs: Int64 = 0
    var line = LineSums()
    package internal(set) var waits = WaitHistogram()
    package internal(set) var scores = ForecastScores()
    /// Milliseconds in which the forecast was above the queue's target.
    package internal(set) var overTargetMs: Int64 = 0

    package init() {}

    package init(_ period: QueuePeriod) {
        lengthMs = period.lengthMs
        knownMs = period.knownMs
        guard period.state != .unknown else { return }
        okMs = period.state == .ok ? period.lengthMs : 0
        line = period.line.sums
        waits = WaitHistogram(period.line.waits.seconds)
        scores = period.scores
        overTargetMs = period.overTargetMs
    }

    package mutating func merge(_ other: PeriodSummary) {
        lengthMs &+= other.lengthMs
        knownMs &+= other.knownMs
        okMs &+= other.okMs
        line.merge(other.line)
        waits.merge(other.waits)
        scores.merge(other.scores)
        overTargetMs &+= other.overTargetMs
    }

    package var state: QueuePeriod.State {
        if knownMs <= lengthMs / 2 { return .unknown }
        return okMs == lengthMs ? .ok : .degraded
    }

    package var meanLength: Double? { line.meanLength }
    package var maxLength: Int64 { line.longest }
    package var joined: Int64 { line.joined }
    package var abandoned: Int64 { line.abandoned }
    package var served: Int64 { waits.count }
}

/// The sums of the line's length, and of those who joined and gave up.
struct LineSums: Equatable, Sendable {
    /// Tags in line, added up over the known seconds; and the number of these seconds.
    var personSeconds: Int64 = 0
    var seconds: Int64 = 0
    /// The most tags in line.
    var longest: Int64 = 0
    var joined: Int64 = 0
    var abandoned: Int64 = 0

    var meanLength: Double? { seconds > 0 ? Double(personSeconds) / Double(seconds) : nil }

    mutating func merge(_ other: LineSums) {
        personSeconds &+= other.personSeconds
        seconds &+= other.seconds
        longest = max(longest, other.longest)
        joined &+= other.joined
        abandoned &+= other.abandoned
    }
}

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

import Primitives

/// The result for one minute of a queue. The first and the last minute of a day may be shorter.
package struct QueuePeriod: Equatable, Sendable {
    package enum State: String, CaseIterable, Sendable {
        case ok
        /// Some gateway did not hear all the time.
        case degraded
        /// Entry or till did not hear for more than half of the time. Counts and lengths say nothing.
        case unknown
    }

    package let queue: String
    /// Seconds since the epoch.
    package let seconds: Range<Int64>
    /// In how many milliseconds both entry and till were heard.
    package let knownMs: Int64
    package let gateways: [GatewayTime]
    package let line: LineStatistics
    package let forecast: Forecast?
    /// Forecasts for those who joined in this period, compared with their waits.
    package let scores: ForecastScores
    /// Milliseconds in which the forecast was above the queue's target.
    package let overTargetMs: Int64
    package let coverage: CoverageSettings?
    package let littleResidualMs: Int64

    package var span: Range<UnixTime> {
        UnixTime(second: seconds.lowerBound)..<UnixTime(second: seconds.upperBound)
    }

    package var lengthMs: Int64 { Int64(seconds.count) * 1000 }

    package var state: State {
        if knownMs <= lengthMs / 2 { return .unknown }
        let isWhole = knownMs == lengthMs && gateways.allSatisfy { $0.heardMs == lengthMs }
        if isWhole { return .ok }
        // Nobody in line is a statement about the area of each gateway.
        let isBlind = gateways.contains { Int64($0.heardMs) < lengthMs * 3 / 4 }
        return isBlind && line.isEmpty ? .unknown : .degraded
    }
}

/// The line in a period.
package struct LineStatistics: Equatable, Sendable {
    let sums: LineSums
    /// Tags in line at the end.
    package let lengthAtEnd: Int
    package let waits: WaitStatistics

    /// The mean over the seconds that are known; `nil` without any.
    package var meanLength: Double? { sums.meanLength }
    package var joined: Int64 { sums.joined }
    package var abandoned: Int64 { sums.abandoned }
    package var served: Int { waits.count }
    var isEmpty: Bool { sums.longest == 0 && lengthAtEnd == 0 }
}

/// The result for one minute of a queue, or for a longer time in which no gateway of the site was heard.
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
    package let coverage: CoverageSettings?
    package let littleResidualMs: Int64

    package var lengthMs: Int64 { Int64(seconds.count) * 1000 }

    package var state: State {
        if knownMs * 2 <= lengthMs { return .unknown }
        let isWhole = knownMs == lengthMs && gateways.allSatisfy { $0.heardMs == lengthMs }
        return isWhole ? .ok : .degraded
    }
}

/// The line in a period.
package struct LineStatistics: Equatable, Sendable {
    /// The mean over the seconds that are known; `nil` without any.
    package let meanLength: Double?
    /// Tags in line at the end.
    package let lengthAtEnd: Int
    package let joined: Int
    package let abandoned: Int
    package let waits: WaitStatistics

    package var served: Int { waits.count }
}

import Primitives

/// The result for one minute of a queue. The first and the last minute of a day may be shorter.
package struct QueuePeriod: Equatable, Sendable {
    /// What the numbers of a period are worth.
    package enum State: String, CaseIterable, Sendable {
        case ok
        /// Some gateway did not hear all the time, or people may be in line whom no gateway has heard join.
        case degraded
        /// Entry or till did not hear for more than half of the time, or all people in line may be such people.
        case unknown
    }

    package let queue: String
    package let seconds: Range<UnixSecond>
    /// The time in which entry and till were certainly both heard.
    package let known: Duration
    package let gateways: [GatewayTime]
    package internal(set) var line: LineStatistics
    package let forecast: Forecast?
    /// Forecasts for those who joined in this period, compared with their waits.
    package let scores: ForecastScores
    /// The time in which the forecast was above the queue's target.
    package let overTarget: Duration
    package let coverage: CoverageSettings?
    package let littleResidual: Duration
    /// Whether the line may be longer than it is known. In a final period, all visits are known.
    private(set) var isDoubtful = false

    /// A gateway that heard less of a period, in quarters, cannot show that its area was empty. Chosen.
    private static let quartersHeard = 3

    /// A minute.
    package static let step = Duration.seconds(60)

    package var span: Range<UnixTime> { seconds.span }

    package var state: State {
        let time = seconds.duration
        if known <= time / 2 || isDoubtful && line.lengthAtEnd == 0 { return .unknown }
        let isWhole = known == time && gateways.allSatisfy { $0.heard == time } && !isDoubtful
        if isWhole { return .ok }
        // An empty line is a statement about the area of each gateway.
        let isBlind = gateways.contains { $0.heard < time * Self.quartersHeard / 4 }
        return isBlind && line.isEmpty ? .unknown : .degraded
    }

    /// The period by the knowledge of a moment at which people may be in line who joined unseen after `second`.
    func doubted(since second: UnixSecond?) -> QueuePeriod {
        var copy = self
        copy.isDoubtful = second.map { $0 < seconds.upperBound } ?? false
        return copy
    }
}

import Facts
import Primitives

/// The result for one minute of a queue. The first and the last minute of a day may be shorter.
package struct QueuePeriod: Equatable, Sendable {
    /// What the numbers of a period are worth.
    package enum State: String, CaseIterable, Sendable {
        case ok
        /// Some gateway did not hear all the time, or people may be in line whom no gateway has heard join.
        case degraded
        /// Entry or till did not hear for half of the time or longer, or an empty line is not certain.
        case unknown
    }

    package let queue: String
    package let seconds: Range<UnixSecond>
    /// The time in which entry and till were certainly both heard.
    package let known: Duration
    /// The time in which a person may have joined unseen.
    let unseen: Duration
    /// Whether people may be in line at the end who have joined unseen.
    private(set) var isDoubtful: Bool
    package let gateways: [GatewayTime]
    package internal(set) var line: LineStatistics
    package let forecast: Forecast?
    /// Forecasts for those who joined in this period, compared with their waits.
    package let scores: ForecastScores
    /// The time in which the forecast was above the queue's target; `nil` without a forecast or a target.
    package let overTarget: Duration?
    package let coverage: CoverageSettings?
    package let littleResidual: Duration

    /// Less of a period, in quarters, cannot show that the line was empty. Chosen.
    private static let quartersSeen = 3

    /// A minute.
    package static let step = Duration.seconds(60)

    package var span: Range<UnixTime> { seconds.span }

    package var state: State {
        let time = seconds.duration
        if known <= time / 2 || isDoubtful && line.lengthAtEnd == 0 { return .unknown }
        let isWhole = known == time && gateways.allSatisfy { $0.heard == time } && !isDoubtful
        if isWhole { return .ok }
        // An empty line is a statement about the area of each gateway.
        let seen = gateways.reduce(time - unseen) { min($0, $1.heard) }
        return seen < time * Self.quartersSeen / 4 && line.isEmpty ? .unknown : .degraded
    }

    /// The period by the knowledge of a moment at which people may be in line who joined unseen after `second`.
    func doubted(since second: UnixSecond?) -> QueuePeriod {
        var copy = self
        if let second, second < seconds.upperBound { copy.isDoubtful = true }
        return copy
    }
}

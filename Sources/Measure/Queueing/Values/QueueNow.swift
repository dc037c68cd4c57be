import Facts

/// A queue at the present, by the knowledge of that moment.
package struct QueueNow: Equatable, Sendable {
    /// A gateway that does not hear, or that has just begun to hear again.
    package struct Reason: Equatable, Sendable {
        package enum Cause: String, CaseIterable, Sendable {
            case learning, deaf, lost
            /// Its connection to the broker has ended.
            case offline
            /// Its clock is not set: such windows are left out.
            case unsynced
            case unknown

            init(_ state: GatewayStrip.State) {
                switch state {
                case .learning: self = .learning
                case .deaf: self = .deaf
                case .lost: self = .lost
                case .heard, .empty, .unknown: self = .unknown
                }
            }
        }

        package let gateway: String
        package internal(set) var cause: Cause
        /// `nil` before the first second.
        package let since: UnixSecond?
        /// When the gateway began to hear again; `nil` until then.
        package let until: UnixSecond?
    }

    /// Why windows of a gateway were missing, and until when: what the estimator can't know.
    package struct Absence: Sendable {
        package let cause: Reason.Cause
        package let until: UnixSecond?

        package init(_ cause: Reason.Cause, until: UnixSecond?) {
            self.cause = cause
            self.until = until
        }
    }

    /// The numbers of a queue that is known.
    package struct Line: Equatable, Sendable {
        /// Tags in line.
        let tags: Int
        let length: LengthInterval
        let forecast: Forecast?
        /// Those who left in the last half hour.
        let leavers: Leavers
        /// Visitors an hour; `nil` where too little of the last half hour is known.
        let perHour: Rate?
        let openTills: Int?
    }

    /// Those who left a queue in a time.
    package struct Leavers: Equatable, Sendable {
        let served: LengthInterval
        let abandoned: Int
        /// Of those who were served, the waits that are known.
        let waits: WaitStatistics
        let median: QuantileInterval
        let p90: QuantileInterval
    }

    /// A number of people an hour, with its 90 % interval.
    package struct Rate: Equatable, Sendable {
        let perHour: Double
        let low: Double
        let high: Double
    }

    /// A minute of the trend.
    package struct Minute: Equatable, Sendable {
        package let start: UnixSecond
        /// The mean number of people; `nil` where it is not known.
        package let length: Double?
    }

    package let queue: String
    /// The end of the last second that the numbers describe; `nil` before the first one.
    package let at: UnixSecond?
    package private(set) var state: QueuePeriod.State
    /// The start of the state, by the gateways.
    package var since: UnixSecond?
    package private(set) var reasons: [Reason]
    /// `nil` in the state `unknown`.
    package private(set) var line: Line?
    /// The last thirty minutes.
    package let trend: [Minute]
    package let tills: Int
    package let coverage: Coverage?
    package let targetWait: Duration?
    package let littleResidual: Duration

    /// The same with the causes of absences: each explains a reason that begins no later than it ends.
    package func explained(by absences: [String: Absence]) -> QueueNow {
        var now = self
        for index in reasons.indices where reasons[index].cause == .unknown {
            guard let absence = absences[reasons[index].gateway] else { continue }
            if let since = reasons[index].since, let until = absence.until, since > until {
                continue
            }
            now.reasons[index].cause = absence.cause
        }
        return now
    }

    /// The same moment without its numbers.
    package func unknown(reasons: [Reason]) -> QueueNow {
        var now = self
        now.state = .unknown
        now.reasons = reasons
        now.line = nil
        return now
    }
}

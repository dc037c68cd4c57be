/// A place where the surveyor stands.
package enum SurveySpot: Hashable, Sendable {
    /// Next to a gateway of the queue.
    case gateway(String)
    /// In the middle of the line.
    case middle
    /// Beside the line, where people look at goods.
    case beside

    /// Those of a queue, in the order of the way through it.
    package static func all(of queue: QueueLayout) -> [SurveySpot] {
        queue.entry.map { .gateway($0) } + [.middle] + queue.along.map { .gateway($0) }
            + queue.till.map { .gateway($0) } + [.beside]
    }

    package var name: String {
        switch self {
        case .gateway(let name): name
        case .middle: "middle"
        case .beside: "beside"
        }
    }
}

/// What one gateway hears of the beacon at one spot.
package struct SpotLevel: Equatable, Sendable {
    /// The mean power of each second in which it heard the beacon, in dBm.
    package let powers: [Double]
    /// The seconds that the surveyor stood there.
    package let seconds: Int
    /// The advertisements that it heard there.
    package let reports: Int

    package init(powers: [Double], seconds: Int, reports: Int) {
        (self.powers, self.seconds, self.reports) = (powers, seconds, reports)
    }

    /// dBm; `nil` if it was not heard.
    package var mean: Double? {
        powers.isEmpty ? nil : powers.reduce(0, +) / Double(powers.count)
    }

    /// dBm.
    package var loudest: Double? { powers.max() }

    /// The standard deviation of the seconds in decibels, 1 or more: rounding of powers is not less.
    package var deviation: Double {
        guard let mean, powers.count > 1 else { return 1 }
        let squares = powers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        return max(1, (squares / Double(powers.count - 1)).squareRoot())
    }

    /// The share of seconds in which it was heard.
    package var heard: Double {
        seconds == 0 ? 0 : min(1, Double(powers.count) / Double(seconds))
    }
}

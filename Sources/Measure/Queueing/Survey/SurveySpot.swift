import Facts
import Glibc
import Primitives

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

/// What one window of a gateway tells of the beacon.
package struct SurveyWindow: Equatable, Sendable {
    package let span: Range<UnixTime>
    /// Whether the radio was listening.
    package let isListening: Bool
    /// The mean power in dBm, and the number of reports; `nil` if the window has none of the beacon.
    package let heard: Heard?

    package struct Heard: Equatable, Sendable {
        package let power: Double
        package let reports: Int

        package init(power: Double, reports: Int) { (self.power, self.reports) = (power, reports) }
    }

    /// No gateway hears more in a window; `WindowFact` says so as well.
    private static let mostReports = 1_000_000

    package init(span: Range<UnixTime>, isListening: Bool, heard: Heard?) {
        (self.span, self.isListening) = (span, isListening)
        self.heard = heard.map {
            Heard(power: $0.power, reports: min($0.reports, Self.mostReports))
        }
    }
}

/// What one gateway hears of the beacon at one spot.
package struct SpotLevel: Equatable, Sendable {
    /// The mean power of each second in which it heard the beacon, in dBm.
    package let powers: [Double]
    /// The seconds that the surveyor stood there, and those of them in which the gateway did not listen.
    package let seconds: Int
    package let deaf: Int
    /// The advertisements that it heard there.
    package let reports: Int
    /// Whether the gateway's windows are longer than the time at the spot.
    package let isTooWide: Bool

    package init(
        powers: [Double], seconds: Int, deaf: Int = 0, reports: Int, isTooWide: Bool = false
    ) {
        (self.powers, self.seconds, self.deaf) = (powers, seconds, deaf)
        (self.reports, self.isTooWide) = (reports, isTooWide)
    }

    /// What the newest seconds of the windows tell: earlier ones are of the way to the spot, or of a gateway's backlog.
    ///
    /// A window counts for all its seconds, and only as a whole. Several that begin in one second share it.
    package init(_ windows: [SurveyWindow], seconds: Int) {
        let end = windows.map(\.span.upperBound).max() ?? UnixTime(milliseconds: 0)
        let start = end - .seconds(Int64(seconds))
        let whole = windows.filter { $0.span.lowerBound >= start }
        var sums: [UnixSecond: (milliwatts: Double, reports: Double)] = [:]
        var deaf: Set<UnixSecond> = []
        for window in whole {
            let first = UnixSecond(containing: window.span.lowerBound)
            let count = max(1, Int((window.span.upperBound - window.span.lowerBound).wholeSeconds))
            for second in (0..<min(count, seconds)).map({ first.advanced(by: $0) }) {
                if !window.isListening { deaf.insert(second) }
                guard let heard = window.heard else { continue }
                let reports = Double(heard.reports)
                sums[second, default: (0, 0)].milliwatts += pow(10, heard.power / 10) * reports
                sums[second, default: (0, 0)].reports += reports
            }
        }
        self.init(
            powers: sums.sorted { $0.key < $1.key }.map {
                10 * log10($0.value.milliwatts / $0.value.reports)
            }, seconds: seconds, deaf: deaf.count,
            reports: whole.reduce(0) { $0 + ($1.heard?.reports ?? 0) },
            isTooWide: whole.isEmpty && !windows.isEmpty)
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

import JSON
import Primitives

/// What a walk along a line with one beacon shows: the close levels of its gateways, and what they can tell apart.
package struct QueueSurvey {
    package let queue: QueueLayout
    private var levels: [SurveySpot: [String: SpotLevel]] = [:]

    package init(_ queue: QueueLayout) { self.queue = queue }

    package mutating func set(_ level: SpotLevel, of gateway: String, at spot: SurveySpot) {
        levels[spot, default: [:]][gateway] = level
    }

    package func level(of gateway: String, at spot: SurveySpot) -> SpotLevel? {
        levels[spot]?[gateway]
    }

    /// Of the gateways beside which the beacon was heard.
    package var closeLevels: [SurveyedLevel] {
        queue.gateways.compactMap { gateway in
            close(gateway).map { SurveyedLevel(gateway: gateway, power: Int($0.rounded())) }
        }
    }

    /// dBm.
    private func close(_ gateway: String) -> Double? {
        level(of: gateway, at: .gateway(gateway))?.loudest
    }

    // MARK: What to expect

    /// What the bench found with as many reports a second: `Tests/README`, people who linger.
    package struct Expectation: Equatable, Sendable {
        /// Reports of a beacon a second, at the gateway that it stands beside.
        package let leastReports: Double
        /// The share of visits that are found, where people linger and where nobody does.
        package let recall: (lingering: Double, direct: Double)
        /// The mean absolute error of waits, in seconds.
        package let error: (lingering: Double, direct: Double)

        package static func == (one: Expectation, other: Expectation) -> Bool {
            one.leastReports == other.leastReports
        }

        /// The worlds 5 / 4 / 10 / 0, 5 / 6 / 5 / 10 and 5 / 8 / 1 / 30.
        static let all = [
            Expectation(leastReports: 7, recall: (0.96, 0.99), error: (4, 3)),
            Expectation(leastReports: 2.5, recall: (0.92, 0.98), error: (8, 3)),
            Expectation(leastReports: 0, recall: (0.77, 0.93), error: (13, 8)),
        ]
    }

    /// By the gateway that heard the beacon beside it least often; `nil` with faults: the bench has none.
    package var expectation: Expectation? {
        guard faults.isEmpty else { return nil }
        let rates = queue.gateways.map { gateway in
            level(of: gateway, at: .gateway(gateway)).map {
                Double($0.reports) / Double(max(1, $0.seconds))
            } ?? 0
        }
        guard let least = rates.min() else { return nil }
        return Expectation.all.first { least >= $0.leastReports }
    }

    // MARK: What the gateways can tell

    /// A tag that is fainter at all gateways is away, in decibels below the close level: `LineScores` says so.
    private static let awayLevel = -30.0
    // Those below are chosen.
    /// A gateway hears its own end in so many of the seconds.
    private static let heardShare = 0.6
    /// Decibels from a gateway's own end to the other one.
    private static let leastDrop = 6.0
    /// Two places are different that are so many standard deviations apart.
    private static let leastDistance = 2.0

    /// What makes the numbers of this queue worse, with the remedies; empty if nothing does.
    package var faults: [String] {
        let unheard = queue.gateways.compactMap { fault(beside: $0) }
        guard unheard.isEmpty else { return unheard }
        return ends + middle + beside
    }

    private func fault(beside gateway: String) -> String? {
        guard let level = level(of: gateway, at: .gateway(gateway)) else {
            return
                "\(gateway) has sent no window while the beacon was beside it: see sightline status"
        }
        guard level.heard < Self.heardShare else { return nil }
        let percent = Int((level.heard * 100).rounded())
        return
            "\(gateway) heard the beacon in \(percent) % of the seconds beside it: see whether it is the right gateway, "
            + "the beacon sends each second, and no metal is between them"
    }

    /// How much weaker a gateway of one end hears the other end, in decibels; the smallest of all pairs.
    package var drop: Double? { drops.map(\.decibels).min() }

    private var drops: [(gateway: String, other: String, decibels: Double)] {
        let pairs = queue.entry.flatMap { entry in
            queue.till.flatMap { [(entry, $0), ($0, entry)] }
        }
        return pairs.compactMap { gateway, other in
            guard let own = close(gateway),
                let level = level(of: gateway, at: .gateway(other))
            else { return nil }
            // A gateway that does not hear the other end hears it weaker than anything.
            return (gateway, other, level.mean.map { own - $0 } ?? 60)
        }
    }

    private var ends: [String] {
        drops.filter { $0.decibels < Self.leastDrop }.map { drop in
            "\(drop.gateway) hears the beacon beside \(drop.other) only \(max(0, Int(drop.decibels.rounded()))) dB weaker "
                + "than beside itself: hang it nearer to its own end, or behind something that shields the other end"
        }
    }

    /// The level of the loudest gateway at a spot, in decibels above the close level.
    private func loudest(at spot: SurveySpot) -> Double? {
        guard let heard = levels[spot] else { return nil }
        let all = heard.compactMap { gateway, level in
            close(gateway).flatMap { close in level.mean.map { $0 - close } }
        }
        return all.max() ?? -.infinity
    }

    private var middle: [String] {
        guard let level = loudest(at: .middle), level <= Self.awayLevel else { return [] }
        return [
            "In the middle of the line, no gateway is loud enough: people there count as away; hang another gateway along the line"
        ]
    }

    private var beside: [String] {
        guard let distance = distanceToShelf, distance < Self.leastDistance,
            loudest(at: .beside) ?? -.infinity > Self.awayLevel
        else { return [] }
        let tenths = (distance * 10).rounded() / 10
        return [
            "Beside the line, the levels are those of its middle (\(tenths) deviations apart): who stands there for minutes can "
                + "count as in line; hang a gateway along the line that is nearer to the line than to the goods"
        ]
    }

    /// Between the middle of the line and the place beside it: that of the gateway that tells them apart best, in standard deviations.
    package var distanceToShelf: Double? {
        guard let middle = levels[.middle], let beside = levels[.beside] else { return nil }
        return middle.compactMap { gateway, level in
            guard let other = beside[gateway] else { return nil }
            guard let one = level.mean, let two = other.mean else {
                // One place is heard, and the other is not.
                return level.mean == nil && other.mean == nil ? nil : Self.leastDistance
            }
            let square =
                (level.deviation * level.deviation + other.deviation * other.deviation) / 2
            return abs(one - two) / square.squareRoot()
        }.max() ?? 0
    }
}

import Primitives

/// What a walk along a line with one beacon shows: the close levels of its gateways, and what they can tell apart.
package struct QueueSurvey {
    package let queue: QueueLayout
    private var levels: [SurveySpot: [String: SpotLevel]] = [:]
    /// Those at which the surveyor did not stand.
    private var skipped: Set<SurveySpot> = []

    package init(_ queue: QueueLayout) { self.queue = queue }

    package mutating func set(_ level: SpotLevel, of gateway: String, at spot: SurveySpot) {
        levels[spot, default: [:]][gateway] = level
    }

    package mutating func skip(_ spot: SurveySpot) { skipped.insert(spot) }

    package func level(of gateway: String, at spot: SurveySpot) -> SpotLevel? {
        levels[spot]?[gateway]
    }

    /// Of the gateways that hear the beacon beside them as they should.
    package var closeLevels: [SurveyedLevel] {
        queue.gateways.compactMap { gateway in
            guard fault(beside: gateway) == nil else { return nil }
            return close(gateway).map { SurveyedLevel(gateway: gateway, power: Int($0.rounded())) }
        }
    }

    /// dBm.
    private func close(_ gateway: String) -> Double? {
        level(of: gateway, at: .gateway(gateway))?.loudest
    }

    // MARK: What to expect

    /// What the bench found where gateways hear a beacon so often: `Tests/README`, people who linger.
    package struct Expectation: Equatable, Sendable {
        package struct Accuracy: Equatable, Sendable {
            package let recall: Double
            package let precision: Double
            /// The mean absolute error of waits, in seconds.
            package let error: Double
        }

        /// Of a beacon, a second.
        package let leastReports: Double
        /// Where people linger near the line before they join.
        package let lingering: Accuracy
        package let direct: Accuracy

        private init(
            _ leastReports: Double, lingering: (Double, Double, Double),
            direct: (Double, Double, Double)
        ) {
            self.leastReports = leastReports
            self.lingering = Accuracy(
                recall: lingering.0, precision: lingering.1, error: lingering.2)
            self.direct = Accuracy(recall: direct.0, precision: direct.1, error: direct.2)
        }

        /// The worlds 5 / 4 / 10 / 0, 5 / 6 / 5 / 10 and 5 / 8 / 1 / 30.
        static let all = [
            Expectation(7, lingering: (0.96, 0.96, 4), direct: (0.99, 0.98, 3)),
            Expectation(2.5, lingering: (0.92, 0.90, 8), direct: (0.98, 0.98, 3)),
            Expectation(0, lingering: (0.77, 0.96, 13), direct: (0.93, 0.93, 8)),
        ]
    }

    /// By the gateway that heard the beacon beside it least often.
    ///
    /// `nil` with faults, or without one of the levels: the bench has no such queue.
    package var expectation: Expectation? {
        guard faults.isEmpty else { return nil }
        let rates = queue.gateways.map { gateway in
            level(of: gateway, at: .gateway(gateway)).map {
                Double($0.reports) / Double(max(1, $0.seconds))
            }
        }
        guard !rates.contains(nil), let least = rates.compactMap(\.self).min() else { return nil }
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
        guard !skipped.contains(.gateway(gateway)) else { return nil }
        guard let level = level(of: gateway, at: .gateway(gateway)) else {
            return
                "\(gateway) has sent no window while the beacon was beside it: see sightline status"
        }
        if level.isTooWide {
            return
                "the windows of \(gateway) are longer than the time at a spot: survey with more --seconds, "
                + "or a shorter report.windowMs"
        }
        if Double(level.deaf) > (1 - Self.heardShare) * Double(level.seconds) {
            return
                "the radio of \(gateway) did not listen in \(level.deaf) s of \(level.seconds): "
                + "run sightline doctor there"
        }
        if let loudest = level.loudest, !SurveyedLevel.powers.contains(Int(loudest.rounded())) {
            return
                "\(gateway) hears the beacon with \(Int(loudest.rounded())) dBm: stand half a metre away from it"
        }
        guard level.heard < Self.heardShare else { return nil }
        let percent = Int((level.heard * 100).rounded())
        return
            "\(gateway) heard the beacon in \(percent) % of the seconds beside it: "
            + "see whether it is the right gateway, the beacon sends each second, and no metal is between them"
    }

    /// How much weaker a gateway of one end hears the other end, in decibels; the smallest of all pairs.
    package var drop: Double? { drops.map(\.decibels).min() }

    private var drops: [(gateway: String, other: String, decibels: Double)] {
        let pairs = queue.entry.flatMap { entry in
            queue.till.flatMap { [(entry, $0), ($0, entry)] }
        }
        return pairs.compactMap { gateway, other in
            guard let own = level(of: gateway, at: .gateway(gateway))?.mean,
                let level = level(of: gateway, at: .gateway(other))
            else { return nil }
            // A gateway that does not hear the other end hears it weaker than anything.
            return (gateway, other, level.mean.map { own - $0 } ?? 60)
        }
    }

    private var ends: [String] {
        drops.filter { $0.decibels < Self.leastDrop }.map { drop in
            let decibels = max(0, Int(drop.decibels.rounded()))
            return
                "\(drop.gateway) hears the beacon beside \(drop.other) only \(decibels) dB weaker than beside itself: "
                + "hang it nearer to its own end, or behind something that shields the other end"
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
            "In the middle of the line, no gateway is loud enough: people there count as away. "
                + "Hang another gateway along the line"
        ]
    }

    private var beside: [String] {
        guard let distance = distanceToShelf, distance < Self.leastDistance,
            loudest(at: .beside) ?? -.infinity > Self.awayLevel
        else { return [] }
        let tenths = (distance * 10).rounded() / 10
        return [
            "Beside the line, the levels are those of its middle (\(tenths) deviations apart): "
                + "people who stand there for minutes may count as in line. "
                + "Hang a gateway along the line, nearer to the line than to the goods"
        ]
    }

    /// Between the middle of the line and the place beside it, in standard deviations, at the gateway that tells them
    /// apart best.
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

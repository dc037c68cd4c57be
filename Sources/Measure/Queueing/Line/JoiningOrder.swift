import Facts

/// The choice between the dates at which the persons of stays may have joined, by the order of the line.
///
/// A date costs `weight` nats for each person whom the stay would overtake, or who would overtake it, and one nat for each mean
/// service that it makes the person's own service longer. This is the law of exponential service: a person who
/// joins an empty line is served at once.
///
///     score = gain − w · (excess of overtaking) − service / mean service
struct JoiningOrder {
    /// As in `OrderJudgement`, with the dates until now.
    private let probabilities: [Double]
    private let tills: Int
    /// When those left who are probably visits, in their order.
    private let departures: [UnixSecond]
    let meanService: Double

    /// Nats for each overtaking. On the bench, 3 and 5 give the same errors, and 1.5 larger ones. Chosen.
    private static let weight = 3.0
    /// The mean service of a line without visits, in seconds, and the number of visits that it counts as. Chosen.
    private static let usualService = 45.0
    private static let usualCount = 5.0
    /// The longest service that counts in the mean, in seconds. Chosen.
    private static let longestService = 300.0

    init(_ stays: [LineOrder.Proposal], _ probabilities: [Double], tills: Int) {
        self.probabilities = probabilities
        self.tills = tills
        let served = zip(stays, probabilities).filter { proposal, probability in
            probability > 0.5 && proposal.stay.end == .served && proposal.stay.left != .never
        }.map(\.0.stay)
        departures = served.map(\.left.second).sorted()
        var (sum, count) = (Self.usualService * Self.usualCount, Self.usualCount)
        for stay in served {
            let free = Self.free(before: stay, departures, tills)
            sum += min(Self.longestService, Self.service(stay, stay.entered.second, free: free))
            count += 1
        }
        meanService = sum / count
    }

    /// The stays with the best dates.
    ///
    /// - Parameter overtaken: the expected number of visits that each stay overtakes.
    func dated(_ proposals: [LineOrder.Proposal], _ overtaken: [Double]) -> [LineOrder.Proposal] {
        var stays = proposals
        for index in stays.indices where !stays[index].stay.dates.isEmpty {
            var best = (score: -Double.infinity, date: 0)
            for (date, joining) in stays[index].stay.dates.enumerated() {
                let score = self.score(index, joining, stays, overtaken)
                if score > best.score { best = (score, date) }
            }
            stays[index].stay.choose(stays[index].stay.dates[best.date])
        }
        return stays
    }

    private func score(
        _ index: Int, _ date: JoiningDate, _ stays: [LineOrder.Proposal], _ overtaken: [Double]
    ) -> Double {
        let old = stays[index].stay
        var stay = old
        stay.choose(date)
        var over = 0.0
        var under = 0.0
        for (other, rival) in stays.enumerated() where rival.tag != stays[index].tag {
            if stay.overtakes(rival.stay) { over += probabilities[other] }
            if rival.stay.overtakes(stay) {
                let own = rival.stay.overtakes(old) ? probabilities[index] : 0
                let tooMany = overtaken[other] - own + Double(2 - tills)
                under += probabilities[other] * min(1, max(0, tooMany))
            }
        }
        let excess = max(0, over - Double(tills - 1)) + under
        let free = Self.free(before: stay, departures, tills)
        let service = Self.service(stay, stay.entered.second, free: free)
        return date.gain - Self.weight * excess - service / meanService
    }

    /// When the till became free that served a stay; `nil` where no departure is known.
    private static func free(
        before stay: LineStay, _ departures: [UnixSecond], _ tills: Int
    ) -> UnixSecond? {
        let end = stay.left.second.advanced(by: -OrderJudgement.tolerance)
        let earlier = departures.prefix { $0 <= end }
        return earlier.count < tills ? nil : earlier[earlier.count - tills]
    }

    private static func service(
        _ stay: LineStay, _ entered: UnixSecond, free: UnixSecond?
    ) -> Double {
        (stay.left.second - max(entered, free ?? entered)).inSeconds
    }
}

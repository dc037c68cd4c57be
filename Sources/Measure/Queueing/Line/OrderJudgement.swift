/// The judgement of stays by the order of the line: which of them are visits together.
///
/// People in a line reach the tills in the order in which they joined. A stay *overtakes* another one if it begins later
/// and ends earlier. A person at one of `n` tills overtakes at most the `n − 1` at the others. If a stay overtakes more, it
/// or the others are passers-by who stopped beside the line. Let `v` say of each stay `i` whether it is a visit, with its
/// own log-odds `l`:
///
///     log P(v) = Σ over i of vᵢ lᵢ − w Σ over i of vᵢ · max(0, kᵢ − (n − 1)) + constant,   kᵢ = Σ over the overtaken j of vⱼ
///
/// The probabilities `q` of all stays are the fixed point of the mean-field equations of this distribution (for one till, a
/// pairwise Markov random field). With several tills, they are an approximation: the mean of `k` stands for `k` in `max`:
///
///     logit qᵢ = lᵢ − w · (max(0, k̄ᵢ − (n − 1)) + Σ over those j that overtake i of qⱼ · P(i is one too many for j))
///
/// where `k̄` is the expected `k`. A certain visit therefore weakens a stay that overtakes it, and one that it overtakes.
struct OrderJudgement {
    private let stays: [LineOrder.Proposal]
    private let field: Field
    private let othersAtTills: Double

    /// Dates must differ by at least this number of seconds: they are no more exact.
    static let tolerance = 2
    /// The log-odds of one overtaking between two visits, `w`. Chosen on the bench: the fit of the pseudo-likelihood gives
    /// 1.3 to 3.5 by the world, with log-odds that are between one third and the whole of those of `VisitModel`.
    static let directWeight = 3.0
    /// Where people browse, dates are less exact. Chosen: the fit gives 0.54, and a smaller weight
    /// loses precision.
    static let browsingWeight = 1.5
    /// Dates and probabilities follow each other for so many rounds at most. Chosen.
    private static let dateRounds = 4
    /// Of a visit: an excess of more is probably one visit too many.
    private static let half = 0.5
    /// - Parameters:
    ///   - proposals: in the order of time, which no pseudonym decides: a sum of real numbers depends on their order.
    ///   - tills: how many people they serve at a time.
    init(_ proposals: [LineOrder.Proposal], tills: Int, _ mode: ShoppingMode = .direct) {
        var stays = LeftTags.dated(proposals, tills: tills)
        var field = Field(stays, tills: tills, weight: mode.models.order)
        if stays.contains(where: { !$0.stay.dates.isEmpty }) {
            for _ in 0..<Self.dateRounds {
                let dated = JoiningOrder(stays, field.probabilities, tills: tills)
                    .dated(stays, field.numbers)
                guard dated != stays else { break }
                stays = dated
                field = Field(stays, tills: tills, weight: mode.models.order)
            }
        }
        for index in stays.indices { stays[index].stay.dates = [] }
        self.stays = stays
        self.field = field
        othersAtTills = Double(tills - 1)
    }

    /// The stays with the dates that the order has chosen, and the log-odds of their own.
    func proposal(_ index: Int) -> LineOrder.Proposal { stays[index] }

    /// A stay with its log-odds by the order.
    func stay(_ index: Int) -> LineOrder.Proposal {
        var result = stays[index]
        result.stay.logOdds = field.logOdds[index]
        return result
    }

    /// A stay as it is judged: a visit, or none.
    func verdict(_ index: Int) -> LineOrder.Proposal {
        let end = stays[index].stay.end
        var result = end == .abandoned ? stays[index] : stay(index)
        result.isVisit = end == .abandoned || result.stay.isVisit
        guard !result.isVisit, end == .served, isOutOfTurn(index), result.stay.givingUp > 0
        else { return result }
        result.isVisit = true
        result.stay.end = .abandoned
        result.stay.logOdds = result.stay.givingUp
        result.stay.till = nil
        return result
    }

    /// Whether the stay probably overtakes more visits than there may be at the other tills.
    private func isOutOfTurn(_ index: Int) -> Bool {
        field.numbers[index] - othersAtTills > Self.half
    }

    /// The number of stays that a certain one overtakes, by the levels only; `nil` if it is not certain.
    func overtaken(byCertain index: Int) -> Int? {
        let stay = stays[index].stay
        guard stay.isCertain else { return nil }
        let overtaken = field.overtaken[index]
        return Int(overtaken.reduce(0) { $0 + stays[$1].stay.probability }.rounded())
    }

    /// The fixed point of the mean-field equations.
    private struct Field {
        /// That each stay is a visit.
        var probabilities: [Double]
        var logOdds: [Double]
        /// The stays that each stay overtakes.
        let overtaken: [[Int]]

        /// Each round goes half of the way, so that ten leave a thousandth of it. Chosen.
        private static let rounds = 10

        init(_ stays: [LineOrder.Proposal], tills: Int, weight: Double) {
            let othersAtTills = Double(tills - 1)
            overtaken = stays.map { stay in
                stays.indices.filter { other in
                    stays[other].tag != stay.tag && stay.stay.overtakes(stays[other].stay)
                }
            }
            probabilities = stays.map(\.stay.probability)
            logOdds = stays.map(\.stay.logOdds)
            for _ in 0..<Self.rounds {
                let numbers = numbers
                var excess = [Double](repeating: 0, count: stays.count)
                for (stay, others) in overtaken.enumerated() where !others.isEmpty {
                    excess[stay] += max(0, numbers[stay] - othersAtTills)
                    for other in others {
                        let tooMany = numbers[stay] - probabilities[other] + 1 - othersAtTills
                        excess[other] += probabilities[stay] * min(1, max(0, tooMany))
                    }
                }
                for (index, proposal) in stays.enumerated() {
                    var stay = proposal.stay
                    stay.logOdds -= weight * excess[index]
                    logOdds[index] = stay.logOdds
                    probabilities[index] = (probabilities[index] + stay.probability) / 2
                }
            }
        }

        /// The expected number of visits that each stay overtakes.
        var numbers: [Double] {
            overtaken.map { $0.reduce(0) { $0 + probabilities[$1] } }
        }
    }
}

extension LineStay {
    /// Whether it begins later and ends earlier, by more than the dates are wrong.
    func overtakes(_ other: LineStay) -> Bool {
        other.entered.second <= entered.second.advanced(by: -OrderJudgement.tolerance)
            && other.left.second >= left.second.advanced(by: OrderJudgement.tolerance)
    }
}

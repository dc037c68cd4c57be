import Facts

/// The stays of one queue until they are judged by the order of its line.
///
/// A stay is judged as soon as all those have left who joined before it: until then, it is unknown whom it overtakes.
/// `OrderJudgement` judges it together with its neighbours. A person who gives up overtakes as well: `GivingUpModel`
/// finds those among the stays that are no visits.
struct LineOrder: Equatable {
    /// A stay that the decoder proposes.
    struct Proposal: Equatable, Sendable {
        let tag: Tag
        var stay: LineStay
        /// Whether it has been judged to be a visit.
        var isVisit = false
    }

    /// In their order. The judged ones are kept, since a stay that becomes final later may overtake them.
    private var waiting: [Proposal] = []
    private var judged: [Proposal] = []
    private(set) var tills: ParallelTills
    private let mode: ShoppingMode

    /// A person who is near for so long after a stay was not before it in the line.
    static let longest = Duration.seconds(600)
    /// The oldest stays beyond this number are judged without a delay: it bounds the state.
    private static let mostWaiting = 500
    /// So many judged ones are kept at most. A busy till has some dozens in twenty minutes.
    private static let mostJudged = 500

    init(_ tills: ParallelTills, _ mode: ShoppingMode = .direct) {
        self.tills = tills
        self.mode = mode
    }

    /// When the first stay began that is not judged.
    var undecidedSince: UnixSecond? { waiting.lazy.map(\.stay.earliestEntered).min() }

    var isWaiting: Bool { !waiting.isEmpty }

    mutating func add(_ stay: LineStay, of tag: Tag) {
        let later = waiting.firstIndex { stay.precedes($0.stay) }
        waiting.insert(Proposal(tag: tag, stay: stay), at: later ?? waiting.endIndex)
    }

    /// The end of a certain stay at a till that shows that a tag there was left by its person: the stay began later.
    ///
    /// One stay may be a passer-by's, or at another till: `ParallelTills.overtakenAtTill` stays show it. With tills without a
    /// gateway, people may be served beside it.
    func served(at till: TillIndex, joinedAfter second: UnixSecond, besides tag: Tag) -> EdgeDate? {
        let joined = second.advanced(by: OrderJudgement.tolerance)
        let stays = (judged + waiting).lazy.filter { $0.tag != tag }.map(\.stay).filter {
            $0.isCertain && !$0.isTagLeft && $0.till == till && $0.earliestEntered >= joined
        }
        return stays.count >= tills.overtakenAtTill
            ? stays.map(\.left).max { $0.second < $1.second } : nil
    }

    /// The strength of a tag's strongest stay at the time of `stay`; `nil` without one.
    func strongest(of tag: Tag, during stay: LineStay) -> LineStay.Strength? {
        let isThen = { (proposal: Proposal) in proposal.tag == tag && proposal.stay.overlaps(stay) }
        if judged.contains(where: { $0.isVisit && isThen($0) }) { return .judged }
        return waiting.lazy.filter(isThen).map(\.stay.strength).max()
    }

    /// Removes a tag's stays at the time of `stay`.
    ///
    /// - Returns: the odds of all of them.
    mutating func remove(_ stay: LineStay, of tag: Tag) -> Double {
        let isThen = { (proposal: Proposal) in proposal.tag == tag && proposal.stay.overlaps(stay) }
        defer { waiting.removeAll(where: isThen) }
        return waiting.lazy.filter(isThen).reduce(0) { $0 + $1.stay.odds + $1.stay.elsewhere }
    }

    /// A weaker stay of a tag, in another line, makes its stays at that time less certain.
    mutating func weaken(by stay: LineStay, of tag: Tag) {
        for index in waiting.indices
        where waiting[index].tag == tag && waiting[index].stay.overlaps(stay) {
            waiting[index].stay.elsewhere += stay.odds
        }
    }

    /// Lets the dates follow a stretch without knowledge that goes on.
    mutating func widen(with unknown: Range<UnixSecond>) {
        for index in waiting.indices { waiting[index].stay.widen(with: unknown) }
    }

    /// Judges the stays of which it is known whom they overtake, and who overtakes them.
    ///
    /// - Parameters:
    ///   - second: the last that the decoder has scored; `nil` ends the day.
    ///   - first: when the first of those joined who may still be in line.
    ///   - pending: stays that are over, but not final.
    ///   - undecided: since when each tag has had a stay in another line that is not final.
    ///   - unknown: a stretch without knowledge that goes on.
    /// - Returns: the judged stays: visits and others.
    mutating func judge(
        at second: UnixSecond?, stillInSince first: UnixSecond?, pending: [LineStay] = [],
        undecided: [Tag: UnixSecond] = [:], unknown: Range<UnixSecond>? = nil
    ) -> [Proposal] {
        let isReady = { (proposal: Proposal) -> Bool in
            let stay = proposal.stay
            guard let second else { return true }
            if second - stay.left.second >= Self.longest { return true }
            if let unknown, stay.reaches(unknown) { return false }
            if let other = undecided[proposal.tag], other < stay.left.second { return false }
            if let first,
                first <= stay.latestEntered.advanced(by: -OrderJudgement.tolerance)
            {
                return false
            }
            return !pending.contains { $0.overtakes(stay) }
        }
        let early = max(0, waiting.count - Self.mostWaiting)
        let ready = waiting.indices.filter { $0 < early || isReady(waiting[$0]) }
        guard !ready.isEmpty else { return [] }
        let known = judged + waiting
        let judgement = OrderJudgement(known, tills: tills.number, mode)
        let first = judged.count
        var verdicts: [Proposal] = []
        for index in ready {
            if let overtaken = judgement.overtaken(byCertain: first + index) {
                tills.add(overtaken)
            }
            let verdict = judgement.verdict(first + index)
            verdicts.append(verdict)
            var proposal = judgement.proposal(first + index)
            proposal.isVisit = verdict.isVisit
            judged.append(proposal)
        }
        for index in ready.reversed() { waiting.remove(at: index) }
        let oldest = (second ?? .never) - Self.longest * 2
        judged.removeAll { $0.stay.left.second < oldest }
        judged.removeFirst(max(0, judged.count - Self.mostJudged))
        return verdicts
    }

    /// The judgement of stays that are not final, by present knowledge.
    ///
    /// - Parameter inLine: stays that go on, each with its log-odds.
    /// - Returns: those that are over, visits and others, and those that go on with new log-odds.
    func provisional(
        _ stays: [Proposal], inLine: [Proposal]
    ) -> (left: [Proposal], inLine: [Proposal]) {
        let stays = (waiting + stays).sorted { $0.stay.precedes($1.stay) }
        let judgement = OrderJudgement(judged + stays + inLine, tills: tills.number, mode)
        let first = judged.count + stays.count
        return (
            stays.indices.map { judgement.verdict(judged.count + $0) },
            inLine.indices.map { judgement.stay(first + $0) }
        )
    }
}

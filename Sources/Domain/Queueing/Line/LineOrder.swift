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
    }

    /// In their order. The judged ones are kept, since a stay that becomes final later may overtake them.
    private var waiting: [Proposal] = []
    private var judged: [Proposal] = []
    private var tills: TillsAtOnce

    /// A person who is near for so long after a stay was not before it in the line.
    static let longest = Duration.seconds(600)
    /// The oldest stays beyond this number are judged without a delay: it bounds the state.
    private static let mostWaiting = 500

    init(tills: Int) { self.tills = TillsAtOnce(gateways: tills) }

    /// When the first stay began that is not judged.
    var undecidedSince: UnixSecond? { waiting.lazy.map(\.stay.entered.second).min() }

    var isWaiting: Bool { !waiting.isEmpty }

    mutating func add(_ stay: LineStay, of tag: Tag) {
        let later = waiting.firstIndex { stay.precedes($0.stay) }
        waiting.insert(Proposal(tag: tag, stay: stay), at: later ?? waiting.endIndex)
    }

    /// Judges the stays of which it is known whom they overtake, and who overtakes them.
    ///
    /// - Parameters:
    ///   - second: the last that the decoder has scored; `nil` ends the day.
    ///   - first: when the first of those joined who may still be in line.
    ///   - pending: stays that are over, but not final.
    /// - Returns: the visits.
    mutating func judge(
        at second: UnixSecond?, stillInSince first: UnixSecond?, pending: [LineStay] = []
    ) -> [Proposal] {
        let isReady = { (stay: LineStay) -> Bool in
            guard let second else { return true }
            if second - stay.left.second >= Self.longest { return true }
            if let first, first <= stay.entered.second - OrderJudgement.tolerance { return false }
            return !pending.contains { $0.overtakes(stay) }
        }
        let early = max(0, waiting.count - Self.mostWaiting)
        let ready = waiting.indices.filter { $0 < early || isReady(waiting[$0].stay) }
        guard !ready.isEmpty else { return [] }
        let known = judged + waiting
        let judgement = OrderJudgement(known, tills: tills.number)
        let visits = ready.compactMap { judgement.verdict(judged.count + $0) }
        for index in ready { tills.add(judgement.certainlyOvertaken(by: judged.count + index)) }
        judged += ready.map { waiting[$0] }
        for index in ready.reversed() { waiting.remove(at: index) }
        let oldest = (second ?? .never) - Self.longest * 2
        judged.removeAll { $0.stay.left.second < oldest }
        return visits
    }

    /// The judgement of stays that are not final, by present knowledge.
    ///
    /// - Parameter inLine: stays that go on, each with its log-odds.
    /// - Returns: the visits among those that are over, and those that go on with new log-odds.
    func provisional(
        _ stays: [Proposal], inLine: [Proposal]
    ) -> (left: [Proposal], inLine: [Proposal]) {
        let stays = (waiting + stays).sorted { $0.stay.precedes($1.stay) }
        let judgement = OrderJudgement(judged + stays + inLine, tills: tills.number)
        let first = judged.count + stays.count
        return (
            stays.indices.compactMap { judgement.verdict(judged.count + $0) },
            inLine.indices.map { judgement.stay(first + $0) }
        )
    }
}

import Facts

/// The most probable sequence of joining and leaving: Viterbi's algorithm with two states, out of line and in line.
///
/// `M(t)` is the score of the best sequence that ends in line, relative to the best one that ends out of line. With the
/// scores of `LineScores`:
///
///     M(t) = max(M(t−1) + I(t), J(t)) − max(0, M(t−1) + K(t))
///
/// The last term is the gain of leaving, at least `shortest` after joining. Each state has a history: the stays of the best
/// sequence that ends in it, as far as they are not final. A stay is final as soon as both histories agree on it.
///
/// The memory is constant: two short histories, whatever the length of the stay.
struct LineDecoder {
    /// The best sequence that ends in line.
    private struct InLine {
        /// The most probable date comes first.
        var joinings: Joinings
        /// The highest margin so far, and when it was.
        var peak: Double
        var peakAt: EdgeDate
        var history: [LineStay]

        /// `M`.
        var margin: Double { joinings.best.margin }
        var entered: EdgeDate { joinings.best.date }
    }

    /// The history of the best sequence that ends out of line.
    private var history: [LineStay] = []
    private var inLine: InLine?
    private let mode: ShoppingMode

    init(_ mode: ShoppingMode = .direct) { self.mode = mode }

    /// Shorter stays do not count.
    static let shortest = Duration.seconds(14)
    /// A longer stay is no wait: the decoder drops it.
    private static let longest = Duration.seconds(2 * 3600)
    /// A stay that fades without the till is abandoned if its margin was so large. Chosen.
    private static let abandonedMargin = 14.0
    /// Undecided stays beyond this become final: it bounds the state.
    private static let mostStays = 4

    /// The first second that a later score can still change; `nil` if everything is decided.
    var undecidedSince: UnixSecond? {
        let dates = [history.first?.earliestEntered, inLine?.history.first?.earliestEntered]
        return (dates + [inLine?.joinings.earliest]).compactMap(\.self).min()
    }

    /// When the tag joined, if it is in line by its edges: also without `LineModel.proposal`.
    var inLineSince: EdgeDate? {
        guard let inLine, inLine.margin > LineModel.proposal else { return nil }
        return inLine.entered
    }

    /// The beginning of the first stay that is not final, or of the one that goes on; `nil` if it is improbable.
    var inLineOrPendingSince: UnixSecond? {
        [pendingStays.first?.entered.second, margin > 0 ? inLine?.entered.second : nil]
            .compactMap(\.self).min()
    }

    /// When the tag joined, if it is in line: also where that is improbable.
    var joinedIfInLine: EdgeDate? { inLine?.entered }

    /// `M`.
    var margin: Double { inLine?.margin ?? -.infinity }

    /// What the seconds since joining say, if the tag is in line.
    var evidence: StayEvidence { inLine?.joinings.best.evidence ?? StayEvidence(VisitScores()) }

    /// The stays that are over by present knowledge, but not final.
    var pendingStays: [LineStay] { pendingStays(ifInLine: margin > 0) }

    /// The same, if the tag is in line now, or if it is not.
    func pendingStays(ifInLine isIn: Bool) -> [LineStay] { isIn ? inLine?.history ?? [] : history }

    /// Takes the scores of the next second.
    ///
    /// - Parameters:
    ///   - departure: the date of a tag that leaves now; `nil` if it is `date`.
    ///   - till: the loudest till.
    /// - Returns: the stays that are now final.
    mutating func on(
        _ scores: LineScores, at date: EdgeDate, departure: EdgeDate? = nil, till: TillIndex? = nil
    ) -> [LineStay] {
        let departure = departure ?? date
        let joining = Joining(date, scores)
        guard var old = inLine, date.second - old.entered.second <= Self.longest else {
            inLine = InLine(
                joinings: Joinings(joining), peak: scores.join, peakAt: date, history: history)
            return []
        }
        // All scores are relative to the best sequence out of line.
        let canLeave = departure.second - old.entered.second >= Self.shortest
        let leaving = canLeave ? old.margin + scores.leave : -.infinity
        old.joinings.goOn(scores)
        let before = history
        if leaving > 0 { history = self.history(of: old, leaving, scores, at: departure, till) }
        let isNewJoin = scores.join > old.margin
        if isNewJoin {
            if leaving <= 0, let stay = abandoned(old) { history.append(stay) }
            let history = leaving > 0 ? before : history
            // Dates before another stay belong to another sequence.
            if history != old.history { old.joinings = Joinings(joining) }
            old.history = history
        }
        old.joinings.add(joining)
        old.joinings.lower(by: max(0, leaving))
        if isNewJoin || old.margin >= old.peak {
            old.peak = old.margin
            old.peakAt = date
        }
        inLine = old
        return takeAgreed()
    }

    /// Lets the dates follow a stretch without knowledge that goes on.
    mutating func widen(with unknown: Range<UnixSecond>) {
        for index in history.indices { history[index].widen(with: unknown) }
        guard var old = inLine else { return }
        old.joinings.widen(with: unknown)
        old.peakAt.widen(with: unknown)
        for index in old.history.indices { old.history[index].widen(with: unknown) }
        inLine = old
    }

    /// Ends the sequence: the tag is gone.
    mutating func finish() -> [LineStay] {
        if let old = inLine, let stay = abandoned(old) { history.append(stay) }
        inLine = nil
        defer { history = [] }
        return history
    }

    /// Ends the sequence of a tag in line that stays at the till without its person.
    ///
    /// - Parameter scores: as if the tag left now.
    /// - Returns: its stays, which are final. `LeftTags` dates the last one.
    mutating func leaveTag(
        _ scores: LineScores, at date: EdgeDate, till: TillIndex
    ) -> [LineStay] {
        guard let old = inLine else { return [] }
        var stays = history(of: old, old.margin + scores.leave, scores, at: date, till)
        stays[stays.count - 1].isTagLeft = true
        self = LineDecoder(mode)
        return stays
    }

    /// The last date at which the tag joined, if it is in line by its edges.
    var latestJoining: UnixSecond? { inLineSince == nil ? nil : inLine?.joinings.latest }

    /// The history of a sequence that leaves the line now.
    private func history(
        of old: InLine, _ leaving: Double, _ scores: LineScores, at date: EdgeDate,
        _ till: TillIndex?
    ) -> [LineStay] {
        // The best sequence out of line may already have this stay with an earlier end.
        let others = history.dropFirst(old.history.count)
        let gain = others.reduce(leaving) { $0 + $1.gain }
        let dates = old.joinings.dates(
            leaving: scores.visit, at: date, gain: gain, mode.models.visit)
        var stay = LineStay(
            entered: old.entered, left: date, end: .served, gain: gain, logOdds: 0, till: till)
        stay.choose(dates[0])
        if dates.count > 1 { stay.dates = dates }
        return old.history + [stay]
    }

    /// The stay of a sequence that fades in line; `nil` if its margin was small, or if the till ended it.
    private func abandoned(_ old: InLine) -> LineStay? {
        guard old.peak >= Self.abandonedMargin,
            old.peakAt.second - old.entered.second >= Self.shortest,
            !history.contains(where: { $0.left.second > old.entered.second })
        else { return nil }
        return LineStay(
            entered: old.entered, left: old.peakAt, end: .abandoned, gain: old.peak,
            logOdds: old.peak - LineModel.proposal)
    }

    /// Takes the stays on which both histories agree.
    private mutating func takeAgreed() -> [LineStay] {
        guard var inLine else { return [] }
        var agreed = 0
        while agreed < history.count, agreed < inLine.history.count,
            history[agreed] == inLine.history[agreed]
        {
            agreed += 1
        }
        if history.count > Self.mostStays { agreed = max(agreed, 1) }
        guard agreed > 0 else { return [] }
        let final = Array(history.prefix(agreed))
        history.removeFirst(agreed)
        inLine.history.removeFirst(min(agreed, inLine.history.count))
        self.inLine = inLine
        return final
    }
}

import Facts

/// A date at which the person in line may have joined, while the stay goes on.
struct Joining {
    private(set) var date: EdgeDate
    /// The score of the best sequence that joins then, relative to the best one that ends out of line.
    fileprivate(set) var margin: Double
    fileprivate(set) var evidence: StayEvidence

    init(_ date: EdgeDate, _ scores: LineScores) {
        self.date = date
        margin = scores.join
        evidence = StayEvidence(scores.visit)
    }

    fileprivate mutating func widen(with unknown: Range<UnixSecond>) { date.widen(with: unknown) }
}

/// A date at which the person of a stay that is over may have joined.
struct JoiningDate: Equatable, Sendable {
    var entered: EdgeDate
    /// As those of a `LineStay` with this date.
    let gain: Double
    let logOdds: Double
    let givingUp: Double
}

/// The best dates of joining of one sequence, the most probable one first: the list of Viterbi's algorithm.
///
/// A person may pass the entry, and join later. The first passage then gains by each second in which the person is near. The order of
/// the line shows which date is right (`JoiningOrder`). All dates gain the same in each second, so that they keep their order.
struct Joinings {
    private var list: [Joining]

    /// Nats below the best one: a date with less is not kept. Chosen.
    private static let range = 6.0
    /// More dates are not kept. Chosen.
    private static let most = 6
    /// Of dates that are closer, the most probable one is kept. Chosen.
    private static let apart = Duration.seconds(4)

    init(_ first: Joining) { list = [first] }

    var best: Joining { list[0] }

    /// The second of the first date.
    var earliest: UnixSecond { list.reduce(best.date.second) { min($0, $1.date.second) } }

    /// The second of the last date.
    var latest: UnixSecond { list.reduce(best.date.second) { max($0, $1.date.second) } }

    /// Adds a second in line.
    mutating func goOn(_ scores: LineScores) {
        for index in list.indices {
            list[index].margin += scores.stay
            list[index].evidence.add(scores.visit.staying)
        }
    }

    /// The best sequence out of line has gained.
    mutating func lower(by gain: Double) {
        guard gain > 0 else { return }
        for index in list.indices { list[index].margin -= gain }
    }

    /// Adds a date that is later than all others.
    mutating func add(_ new: Joining) {
        let isClose = { (other: Joining) in
            new.date.second - other.date.second < Self.apart
        }
        let least = max(new.margin, best.margin) - Self.range
        let rivals = list.filter(isClose)
        let isKept = new.margin >= least && rivals.allSatisfy { new.margin > $0.margin }
        // Most seconds are no joining.
        guard isKept || list.contains(where: { $0.margin < least }) else { return }
        list.removeAll { $0.margin < least || isKept && isClose($0) }
        guard isKept else { return }
        let place = list.firstIndex { $0.margin < new.margin } ?? list.endIndex
        list.insert(new, at: place)
        if list.count > Self.most { list.removeLast() }
    }

    /// Lets the dates follow a stretch without knowledge that goes on.
    mutating func widen(with unknown: Range<UnixSecond>) {
        for index in list.indices { list[index].widen(with: unknown) }
    }

    /// The dates of a stay that ends now. Those that would make it too short are left out, but for the best one.
    ///
    /// - Parameter gain: of the stay with the best date.
    func dates(
        leaving: VisitScores, at end: EdgeDate, gain: Double, _ model: VisitModel
    ) -> [JoiningDate] {
        list.indices.compactMap { index in
            let joining = list[index]
            let wait = end.second - joining.date.second
            guard index == 0 || wait >= LineDecoder.shortest else { return nil }
            let gain = gain + joining.margin - best.margin
            return JoiningDate(
                entered: joining.date, gain: gain,
                logOdds: model.logOdds(
                    joining.evidence, leaving: leaving.leaving, wait: wait, gain: gain),
                givingUp: joining.evidence.givingUp(leaving))
        }
    }
}

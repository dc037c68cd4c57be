import Facts

/// The line at one moment, by the knowledge of that moment: it may still change.
package struct LineView: Equatable, Sendable {
    /// A tag in line, or one that has left it.
    typealias Stay = LineOrder.Proposal

    package let second: UnixSecond
    /// When each tag that is in line joined it, the first one first.
    package var entered: [UnixSecond] { inLine.map(\.stay.entered.second) }
    /// The probability of each tag that is more probably out of line.
    private var others: [Double] = []
    private var probabilities: [Double] { others + inLine.map(\.stay.probabilityAmongLines) }
    /// The expected number of tags in line: also of those that are not yet recognised.
    package var expectedLength: Double { probabilities.reduce(0, +) }
    var moment: PresenceCalibration.Moment {
        PresenceCalibration.Moment(
            second: second, expectedLength: expectedLength,
            information: probabilities.reduce(0) { $0 + $1 * (1 - $1) })
    }
    /// Stays that go on.
    private(set) var inLine: [Stay] = []
    /// Stays that are over, but not final: visits, and others that may be some.
    private(set) var left: [Stay] = []
    private(set) var undecided: [Stay] = []

    /// The latest seconds in which a person may have joined unseen; `nil` if they are long ago.
    private let unseen: Range<UnixSecond>?
    /// The latest unknown seconds; `nil` if they are long ago.
    private let gap: Range<UnixSecond>?
    /// The number of tags that are not in line, but may have joined in these seconds: near, or perhaps in line.
    private var doubtful = 0

    /// A person who is near for longer is not in line. These three numbers are chosen: with them, no statement of 0 people was
    /// false in 10,000 injected faults (`LiveTests`).
    private static let longest = Duration.seconds(900)

    /// Gaps in the last seconds make a recognition late.
    private static let recent = Duration.seconds(120)
    /// A tag with a larger probability may be in line.
    private static let perhaps = 0.1

    init(
        second: UnixSecond, unseen: Range<UnixSecond>? = nil, gap: Range<UnixSecond>? = nil
    ) {
        self.second = second
        self.gap = gap.flatMap { second - $0.upperBound < Self.recent ? $0 : nil }
        self.unseen = unseen.flatMap { second - $0.upperBound < Self.longest ? $0 : nil }
    }

    private var faults: [Range<UnixSecond>] { [unseen, gap].compactMap(\.self) }

    /// The beginning of the faults that make tags doubtful.
    private(set) var faultsSince: UnixSecond?

    /// Whether the line may be longer than it is known.
    ///
    /// People reach the tills in the order in which they joined. With a gateway at each of `g` tills, all who joined before those
    /// seconds have left once `2 g + 1` people have joined after them and have been served.
    func isDoubtful(served: [Visit], tills: Int) -> Bool {
        guard doubtful > 0, let end = faults.map(\.upperBound).max() else { return false }
        return served.count { $0.entered.second >= end } <= 2 * tills
    }

    /// Tags in line.
    package var length: Int { inLine.count }

    var tags: TagsInLine { TagsInLine(count: length, probabilities: probabilities, recall: 1) }

    /// The stays of those who were served, but whose visits are not final.
    var served: [LineStay] { left.lazy.map(\.stay).filter { $0.end == .served } }

    mutating func add(_ tag: Tag, _ track: TrackView) {
        left += track.left.map { Stay(tag: tag, stay: $0) }
        if let stay = track.inLine {
            inLine.append(Stay(tag: tag, stay: stay))
            return
        }
        others.append(track.probability)
        let isPerhapsIn = track.probability > Self.perhaps
        noteDoubt(
            faults.filter {
                isPerhapsIn && hides($0, since: track.came) || track.mayHaveJoined(in: $0)
            })
    }

    /// Whether a fault hides a part of what a tag has done since it came: it came before the fault ended, or the fault is recent.
    private func hides(_ fault: Range<UnixSecond>, since: UnixSecond) -> Bool {
        since < fault.upperBound || second - fault.upperBound < Self.recent
    }

    /// Counts a doubtful tag.
    ///
    /// - Parameter faults: those that make it doubtful; without any, it is not.
    private mutating func noteDoubt(_ faults: [Range<UnixSecond>]) {
        guard let start = faults.map(\.lowerBound).min() else { return }
        doubtful += 1
        faultsSince = min(faultsSince ?? start, start)
    }

    /// Judges the stays by the order of the line.
    ///
    /// - Parameter counts: whether a stay that is over counts.
    mutating func judge(_ order: LineOrder, counting counts: (LineStay) -> Bool = { _ in true }) {
        let judged = order.provisional(left, inLine: inLine.sorted { $0.stay.precedes($1.stay) })
        let over = judged.left.filter { counts($0.stay) }
        left = over.filter(\.isVisit)
        undecided = over.filter { !$0.isVisit }
        inLine = judged.inLine.filter(\.stay.isVisit)
        let out = judged.inLine.lazy.map(\.stay).filter { !$0.isVisit }
        for stay in out { noteDoubt(faults.filter { hides($0, since: stay.entered.second) }) }
        others += out.map(\.probabilityAmongLines)
        // A sum of real numbers depends on their order.
        others.sort()
    }
}

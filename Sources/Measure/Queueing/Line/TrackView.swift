import Facts
import Glibc

/// One tag at one queue at present.
struct TrackView {
    /// Of being in this line, against no line. `among` adds the other lines.
    private var logOdds: Double
    /// The stay that goes on, if the tag is more probably in line than not.
    private(set) var inLine: LineStay?
    /// Stays that are over, but not final. `LineOrder` judges them.
    private(set) var left: [LineStay]
    /// When the tag came.
    let came: UnixSecond
    private let isNear: Bool

    /// - Parameters:
    ///   - left: the stays that `decoder` has decided already.
    ///   - isNear: whether it is near the line, or may be.
    init(
        probability: Double, decoder: LineDecoder, left: [LineStay] = [], came: UnixSecond = 0,
        isNear: Bool = false, second: UnixSecond
    ) {
        logOdds = log(probability / (1 - probability))
        self.came = came
        self.isNear = isNear
        let entered = decoder.joinedIfInLine ?? EdgeDate(second)
        let isIn = probability > 0.5
        inLine =
            isIn
            ? LineStay(
                entered: entered, left: .never, end: .served, gain: 0,
                logOdds: logOdds) : nil
        self.left = left + decoder.pendingStays(ifInLine: isIn)
    }

    /// Of being in line.
    var probability: Double { Double(probabilityWithLogOdds: logOdds) }

    var stays: [LineStay] { left + [inLine].compactMap(\.self) }

    /// Without the stays of a person who was in another line. The others are less certain.
    ///
    /// - Parameter others: the tag in the other lines.
    func among(_ others: [TrackView], keeping isOwn: (LineStay) -> Bool) -> TrackView {
        var view = self
        view.left = left.filter(isOwn)
        for index in view.left.indices {
            for stay in others.flatMap(\.stays) where stay.overlaps(view.left[index]) {
                view.left[index].elsewhere += stay.odds
            }
        }
        let elsewhere = others.reduce(0) { $0 + Double(oddsWithLogOdds: $1.logOdds) }
        view.logOdds -= log1p(elsewhere)
        view.inLine?.elsewhere = elsewhere
        if let inLine, !isOwn(inLine) {
            view.inLine = nil
            view.logOdds = min(view.logOdds, -logOdds)
        }
        return view
    }

    /// Whether the tag may be in line since seconds in which no gateway could see it join.
    func mayHaveJoined(in unseen: Range<UnixSecond>) -> Bool {
        isNear && came < unseen.upperBound.advanced(by: LevelHistory.reach)
            && !left.contains { $0.isVisit && $0.left.second >= unseen.upperBound }
    }
}

import Glibc

/// One tag at one queue at present.
struct TrackView {
    /// Of being in line.
    private(set) var probability: Double
    /// The stay that goes on, if the tag is more probably in line than not.
    private(set) var inLine: LineStay?
    /// Stays that are over, but not final. `LineOrder` judges them.
    private(set) var left: [LineStay]
    /// When the tag came.
    let came: UnixSecond
    private let isNear: Bool

    /// - Parameter left: the stays that `decoder` has decided already.
    init(
        probability: Double, decoder: LineDecoder, left: [LineStay] = [], came: UnixSecond = 0,
        isNear: Bool = false, second: UnixSecond
    ) {
        self.probability = probability
        self.came = came
        self.isNear = isNear
        let entered = decoder.joinedIfInLine ?? EdgeDate(second)
        let isIn = probability > 0.5
        inLine =
            isIn
            ? LineStay(
                entered: entered, left: .never, end: .served, gain: 0,
                logOdds: log(probability / (1 - probability))) : nil
        self.left = left + decoder.pendingStays(ifInLine: isIn)
    }

    var stays: [LineStay] { left + [inLine].compactMap(\.self) }

    /// Without the stays of a person who was in another line.
    func keeping(_ isOwn: (LineStay) -> Bool) -> TrackView {
        var view = self
        view.left = left.filter(isOwn)
        if let inLine, !isOwn(inLine) {
            view.inLine = nil
            view.probability = 1 - probability
        }
        return view
    }

    /// Whether the tag may be in line since seconds in which no gateway could see it join.
    func mayHaveJoined(in unseen: Range<UnixSecond>) -> Bool {
        isNear && came < unseen.upperBound.advanced(by: LevelHistory.reach)
            && !left.contains { $0.isVisit && $0.left.second >= unseen.upperBound }
    }
}

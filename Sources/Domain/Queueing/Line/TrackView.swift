import Glibc

/// One tag at one queue at present.
struct TrackView {
    /// Of being in line.
    let probability: Double
    /// The stay that goes on, if the tag is more probably in line than not.
    let inLine: LineStay?
    /// Stays that are over, but not final. `LineOrder` judges them.
    let left: [LineStay]
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
        let entered = decoder.mayHaveJoined ?? EdgeDate(second)
        let isIn = probability > 0.5
        inLine =
            isIn
            ? LineStay(
                entered: entered, left: .never, end: .served, gain: 0,
                logOdds: log(probability / (1 - probability))) : nil
        self.left = left + decoder.pendingStays(ifInLine: isIn)
    }

    /// Whether the tag may be in line since seconds in which no gateway could see it join.
    func mayHaveJoined(in unseen: Range<UnixSecond>) -> Bool {
        isNear && came < unseen.upperBound.advanced(by: LevelHistory.reach)
            && !left.contains { $0.isVisit && $0.left.second >= unseen.upperBound }
    }
}

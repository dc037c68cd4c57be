import Facts
import Glibc
import Primitives
import Testing

@testable import Queueing

@Suite("the judgement of whole stays")
struct VisitModelTests {
    /// Scores in which mostly nothing happens, with some seconds that look like an edge.
    private static func scores(seed: UInt64) -> [LineScores] {
        var random = SplitMix64(seed: seed)
        return (0..<600).map { _ in
            let isEdge = Double.random(in: 0...1, using: &random) < 0.03
            var scores = LineScores(
                join: Double.random(in: isEdge ? -4...2 : -12 ... -6, using: &random),
                leave: Double.random(in: isEdge ? -4...2 : -12 ... -6, using: &random),
                stay: Double.random(in: -0.3...0.3, using: &random))
            scores.visit.joining = Double.random(in: -9...9, using: &random)
            scores.visit.leaving = Double.random(in: -9...9, using: &random)
            scores.visit.staying = Double.random(in: -9...9, using: &random)
            scores.visit.joiningToGiveUp = Double.random(in: -9...9, using: &random)
            scores.visit.givingUp = Double.random(in: -9...9, using: &random)
            return scores
        }
    }

    @Test(
        "the log-odds from running sums are those from all seconds of the stay",
        arguments: 1...20 as ClosedRange<UInt64>)
    func hindsight(seed: UInt64) {
        let scores = Self.scores(seed: seed)
        var decoder = LineDecoder()
        var stays: [LineStay] = []
        for (index, score) in scores.enumerated() {
            stays += decoder.on(score, at: EdgeDate(UnixSecond(Int64(index))))
        }
        stays += decoder.finish()
        let model = VisitModel.direct
        let start: UnixSecond = 0
        for stay in stays where stay.end == .served {
            let joined = start.distance(to: stay.entered.second)
            let left = start.distance(to: stay.left.second)
            let between = scores[joined + 1...left]
            let mean = between.map(\.visit.staying).reduce(0, +) / Double(between.count)
            let length = log(stay.wait.inSeconds)
            let expected =
                scores[joined].visit.joining + mean
                + scores[left].visit.leaving
                + model.length * length + model.lengthSquare * length * length
                + model.gain * stay.gain + VisitModel.inclination
            #expect(abs(stay.logOdds - expected) < 1e-9, "seed \(seed), \(stay)")
            let givingUp =
                GivingUpModel.fitted.constant
                + scores[joined].visit.joiningToGiveUp
                + scores[left].visit.givingUp
            #expect(abs(stay.givingUp - givingUp) < 1e-9, "seed \(seed), \(stay)")
        }
        #expect(stays.contains { $0.end == .served }, "seed \(seed) has no stay")
    }

    @Test("a peak above the close level counts up to 12 dB", arguments: [(9.5, 9.5), (20, 12)])
    func ceiling(power: Double, level: Double) {
        var held = HoldFilter()
        held.hear(power)
        #expect(held.value == level)
    }
}

import Facts
import Glibc
import Primitives
import Testing

@testable import Queueing

/// One stay from decibels to a visit, in numbers that a reader can follow with a pencil. README.md of the room has the
/// formulas and their letters. All decibels and scores here are fractions with a power of two below, so sums are exact.
@Suite("one stay, step by step")
struct PencilTests {
    @Test("1: a level is the power above the close level; it is held for 4 s, and then sinks")
    func level() {
        let closeLevel = -58.0
        var level = HoldFilter()
        #expect(level.value == -36)
        level.hear(-60 - closeLevel)
        #expect(level.value == -2)
        // The reports of four seconds are lost.
        for _ in 1...4 { level.hear(nil) }
        #expect(level.value == -2)
        // From the fifth second on, the tag is probably gone: 2 dB a second.
        level.hear(nil)
        #expect(level.value == -4)
        level.hear(nil)
        #expect(level.value == -6)
        // It is next to the gateway: a fraction of a decibel above the close level.
        level.hear(-57.5 - closeLevel)
        #expect(level.value == 0.5)
    }

    /// The scores of a second in which nothing happens.
    private static let quiet = LineScores(join: -8, leave: -8, stay: -0.25)

    /// A person joins at second 2, stands in line, and leaves at second 20.
    private static func scores(at second: Int) -> LineScores {
        var scores: LineScores
        switch second {
        case 2: scores = LineScores(join: -1, leave: -8, stay: -0.25)
        case 3...19: scores = LineScores(join: -8, leave: -8, stay: 0.25)
        case 20: scores = LineScores(join: -8, leave: 1, stay: -0.25)
        default: return quiet
        }
        scores.visit.joining = 1
        scores.visit.staying = 0.5
        scores.visit.leaving = -1
        return scores
    }

    @Test(
        "2: the margin M rises in line, and falls by the gain of leaving; then the stay becomes final"
    )
    func decoder() throws {
        var decoder = LineDecoder()
        var margins: [Double] = []
        var stays: [(found: Int, stay: LineStay)] = []
        for second in 0...60 {
            let final = decoder.on(
                Self.scores(at: second), at: EdgeDate(UnixSecond(Int64(second))))
            stays += final.map { (second, $0) }
            margins.append(decoder.margin)
        }
        // M(t) = max(M(t−1) + I(t), J(t)) − max(0, M(t−1) + K(t))
        // 0: the first second can only join: M = J.
        #expect(margins[0] == -8)
        // 1: to have joined now, −8, is more probable than to have stayed: −8 − 0.25.
        #expect(margins[1] == -8)
        // 2: the entry is loud: J = −1.
        #expect(margins[2] == -1)
        // 3: a second in line adds I = 0.25. Nobody leaves before 14 s are over.
        #expect(margins[3] == -0.75)
        // 6: as probable in line as out of line. 7: more probable in line.
        #expect(margins[6] == 0)
        #expect(margins[7] == 0.25)
        // 19: the last second in line: −1 + 17 · 0.25.
        #expect(margins[19] == 3.25)
        // 20: leaving gains M(19) + K = 3.25 + 1 = 4.25. To stay: 3.25 − 0.25 = 3. The margin is the difference.
        #expect(margins[20] == 3 - 4.25)
        // 21 to 47: to be still in line becomes less probable, by 0.25 a second.
        #expect(margins[21] == -1.5)
        #expect(margins[47] == -8)
        // 48: to join anew, −8, is more probable than to be still in line, −8.25. Both histories now have the stay.
        #expect(margins[48] == -8)
        let (found, stay) = try #require(stays.first)
        #expect(stays.count == 1)
        #expect(found == 48)
        #expect(stay.entered.second == 2)
        #expect(stay.left.second == 20)
        #expect(stay.wait == .seconds(18))
        #expect(stay.gain == 4.25)
        #expect(stay.end == .served)
    }

    @Test("3: the whole stay is judged, and then the order of the line")
    func judgement() throws {
        var decoder = LineDecoder()
        var stays: [LineStay] = []
        for second in 0...60 {
            stays += decoder.on(
                Self.scores(at: second), at: EdgeDate(UnixSecond(Int64(second))))
        }
        let stay = try #require(stays.first)
        // Joining 1, the mean of 18 seconds in line 0.5, leaving −1; then the length, the gain and the inclination.
        let model = VisitModel.direct
        let length = log(18.0)
        let whole = model.length * length + model.lengthSquare * length * length
        let expected = 1 + 0.5 - 1 + whole + model.gain * 4.25 + VisitModel.inclination
        #expect(abs(stay.logOdds - expected) < 1e-12)
        #expect(stay.isVisit == (expected > 0))
        // Alone in the line, the stay overtakes nobody: the order leaves its log-odds as they are.
        let alone = OrderJudgement(
            [LineOrder.Proposal(tag: Tag(rawValue: 1), stay: stay)], tills: 1)
        #expect(alone.stay(0).stay.logOdds == stay.logOdds)
        // A person who joined two seconds before and is still there is overtaken. Both are visits with probability 1/2 by their
        // levels: each lowers the other's log-odds by w · q, with w = 3, until q = 1 / (1 + exp(3 q)): q is 0.293.
        var (first, second) = (stay, stay)
        first.entered = EdgeDate(0)
        first.left = EdgeDate(22)
        (first.logOdds, second.logOdds) = (0, 0)
        let both = OrderJudgement(
            [
                LineOrder.Proposal(tag: Tag(rawValue: 1), stay: second),
                LineOrder.Proposal(tag: Tag(rawValue: 2), stay: first),
            ],
            tills: 1)
        for index in 0...1 {
            let q = -both.stay(index).stay.logOdds / 3
            #expect(abs(q - 0.293) < 0.001)
        }
        // At one of two tills, the second person may leave before the first.
        let twoTills = OrderJudgement(
            [
                LineOrder.Proposal(tag: Tag(rawValue: 1), stay: second),
                LineOrder.Proposal(tag: Tag(rawValue: 2), stay: first),
            ],
            tills: 2)
        #expect(twoTills.stay(0).stay.logOdds == 0)
    }
}

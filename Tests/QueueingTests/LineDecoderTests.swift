import Facts
import Primitives
import Testing

@testable import Queueing

@Suite("the decoder of joining and leaving")
struct LineDecoderTests {
    /// The best sequence by a table with all back pointers, in hindsight: the same rule for the shortest visit.
    private static func hindsight(_ scores: [LineScores]) -> [ClosedRange<UnixSecond>] {
        struct Cell {
            var score: Double
            var visits: [ClosedRange<UnixSecond>]
            var entered: UnixSecond = 0
        }
        var out = Cell(score: 0, visits: [])
        var inLine: Cell?
        for (index, score) in scores.enumerated() {
            let second = UnixSecond(Int64(index))
            let joined = Cell(score: out.score + score.join, visits: out.visits, entered: second)
            guard let old = inLine else {
                inLine = joined
                continue
            }
            if old.entered.distance(to: second) >= 14, old.score + score.leave > out.score {
                out = Cell(
                    score: old.score + score.leave, visits: old.visits + [old.entered...second])
            }
            let stayed = Cell(
                score: old.score + score.stay, visits: old.visits, entered: old.entered)
            inLine = joined.score > stayed.score ? joined : stayed
        }
        return out.visits
    }

    private static func online(_ scores: [LineScores]) -> [ClosedRange<UnixSecond>] {
        var decoder = LineDecoder()
        var stays: [LineStay] = []
        for (index, score) in scores.enumerated() {
            stays += decoder.on(score, at: EdgeDate(UnixSecond(Int64(index))))
        }
        stays += decoder.finish()
        return stays.filter { $0.end == .served }.map { $0.entered.second...$0.left.second }
    }

    @Test(
        "the online result is the best sequence in hindsight",
        arguments: 1...40 as ClosedRange<UInt64>)
    func hindsight(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        // Mostly nothing, with some seconds that look like an edge.
        let scores = (0..<400).map { _ in
            let isEdge = Double.random(in: 0...1, using: &random) < 0.03
            return LineScores(
                join: Double.random(in: isEdge ? -4...1 : -12 ... -6, using: &random),
                leave: Double.random(in: isEdge ? -4...2 : -12 ... -6, using: &random),
                stay: Double.random(in: -0.3...0.3, using: &random))
        }
        #expect(Self.online(scores) == Self.hindsight(scores), "seed \(seed)")
    }

    @Test("a convincing stay that fades without the till is abandoned")
    func abandoned() throws {
        var decoder = LineDecoder()
        var stays: [LineStay] = []
        let quiet = LineScores(join: -12, leave: -30, stay: -0.3)
        for second in 0..<400 as Range<UnixSecond> {
            let scores =
                switch second {
                case 50: LineScores(join: -2, leave: -30, stay: 0)
                case 51..<120: LineScores(join: -12, leave: -30, stay: 0.3)
                default: quiet
                }
            stays += decoder.on(scores, at: EdgeDate(second))
        }
        stays += decoder.finish()
        let stay = try #require(stays.first)
        #expect(stays.count == 1)
        #expect(stay.end == .abandoned)
        #expect(stay.entered.second == 50)
        #expect(stay.left.second == 119)
    }

    @Test("a stay keeps the later dates at which its person may have joined")
    func dates() throws {
        var decoder = LineDecoder()
        var stays: [LineStay] = []
        for second in 0..<400 as Range<UnixSecond> {
            let isNear = 50..<160 ~= second
            let join =
                switch second {
                case 50: -1.0
                case 80: -9.0
                case 100: -0.5
                case 102: -1.0
                default: -20.0
                }
            let scores = LineScores(
                join: join, leave: second == 160 ? 0 : -30, stay: isNear ? 0.1 : -0.3)
            stays += decoder.on(scores, at: EdgeDate(second))
        }
        stays += decoder.finish()
        let stay = try #require(stays.first)
        #expect(stays.count == 1)
        #expect(stay.entered.second == 50)
        // That of 80 is improbable, and that of 102 is close to a better one.
        #expect(stay.dates.map(\.entered.second) == [50, 100])
        #expect(stay.dates.map(\.gain).first == stay.gain)
    }
}

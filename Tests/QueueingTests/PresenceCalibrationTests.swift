import Facts
import Glibc
import JSON
import Primitives
import Testing

@testable import Queueing

@Suite("the calibration of the presence model")
struct PresenceCalibrationTests {
    /// Log-odds of the tags of a moment, by a model that does not know how many people pass by.
    private static let logOdds = [-4.0, -2, -1, 0, 1, 3]

    private static func probabilities(_ correction: Double) -> [Double] {
        logOdds.map { 1 / (1 + exp(-$0 - correction)) }
    }

    /// What the calibration learns from moments whose true log-odds differ by `offset`.
    private static func learnt(
        offset: Double, moments: Int64, using random: inout some RandomNumberGenerator
    ) -> PresenceCalibration {
        var calibration = PresenceCalibration()
        for second in 0..<moments {
            let length = probabilities(offset).count {
                Double.random(in: 0..<1, using: &random) < $0
            }
            let expected = probabilities(calibration.correction)
            let moment = PresenceCalibration.Moment(
                second: UnixSecond(second), expectedLength: expected.reduce(0, +),
                information: expected.reduce(0) { $0 + $1 * (1 - $1) })
            calibration.add(moment, length: length)
        }
        return calibration
    }

    @Test("it finds by how much the log-odds are wrong", arguments: [-1.5, 0, 0.6, 1.5])
    func finds(offset: Double) {
        var random = SplitMix64(seed: 5)
        let learnt = Self.learnt(offset: offset, moments: 4000, using: &random)
        #expect(abs(learnt.correction - offset) < 0.25)
    }

    @Test("a few moments change little, and none make it leave its bounds")
    func bounded() {
        var random = SplitMix64(seed: 5)
        let few = Self.learnt(offset: 1.5, moments: 6, using: &random)
        #expect(abs(few.correction) < 0.3)
        let wrong = Self.learnt(offset: 50, moments: 10_000, using: &random)
        #expect(wrong.correction == 3)
    }

    @Test("a correction makes every tag more probably present")
    func correction() throws {
        let bytes = Array(#"{"correction":2,"information":20}"#.utf8)
        let calibration = try ObjectReader.decode(JSON(parsing: bytes, maxBytes: 100)) {
            PresenceCalibration(&$0)
        }
        let track = LineTrack()
        let without = track.view(.direct, PresenceCalibration(), KnowledgeGaps(), at: 0)
        let with = track.view(.direct, calibration, KnowledgeGaps(), at: 0)
        let odds = { (view: TrackView) in log(view.probability / (1 - view.probability)) }
        #expect(abs(odds(with) - odds(without) - 2) < 1e-6)
    }

    @Test("a queue learns its correction from final minutes, and keeps it for the next day")
    func kept() throws {
        let walks = (0..<40).map { (index: Int64) in
            Scene.Walk(tag: UInt64(index + 1), joined: 60 + index * 61, left: 160 + index * 61)
        }
        var estimator = QueueEstimator(try Scene.layout())
        for message in Scene.messages(walks, seconds: 0..<3000, seed: 7) {
            _ = estimator.take(message.window, from: message.gateway)
        }
        _ = estimator.finish()
        let learnt = try #require(estimator.learntLevels[queue: "q"])
        #expect(learnt.presence.correction != 0)
        let next = QueueEstimator(try Scene.layout(), levels: estimator.learntLevels)
        #expect(next.learntLevels[queue: "q"] == learnt)
    }

    @Test("a change of the approach makes it begin anew: it corrected other models")
    func begunAnew() throws {
        // One more person who lingers decides.
        let stored: JSON = [
            "v": 1, "gateways": [], "approach": ["approach": "direct", "logOdds": .number(7.9)],
            "queues": [["queue": "q", "presence": ["correction": 2, "information": 30]]],
        ]
        var estimator = QueueEstimator(
            try Scene.layout(), levels: try LearntLevels(stored), learning: .zero)
        let walks = [Scene.Walk(tag: 1, joined: 400, left: 500, browses: 300)]
        for message in Scene.messages(walks, seconds: 0..<700, seed: 7) {
            _ = estimator.take(message.window, from: message.gateway)
        }
        _ = estimator.finish()
        let learnt = estimator.learntLevels
        #expect(learnt.shopping.mode == .browsing)
        #expect(try #require(learnt[queue: "q"]).presence.correction < 1)
    }
}

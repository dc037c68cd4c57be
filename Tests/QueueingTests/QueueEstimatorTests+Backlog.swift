import JSON
import Primitives
import Sightings
import Testing

@testable import Facts
@testable import Queueing

extension QueueEstimatorTests {
    @Test("windows behind a hole wait within a bound of memory; then a part of the hole is passed")
    func hole() throws {
        let layout = try Scene.layout()
        var estimator = QueueEstimator(layout, mostPendingBytes: 66_600)
        // The till is never heard: each second of the entry waits.
        for second in 0..<1200 as Range<Int64> {
            _ = estimator.take(Scene.window(second), from: layout.gateways[0])
            _ = estimator.advance()
        }
        // 66,600 bytes are 222 windows without readings; 60 s pass at a time.
        #expect(estimator.passedEarly >= .seconds(1200 - 222 - 60))
        #expect(estimator.passedEarly <= .seconds(1200 - 222 + 120))
    }

    @Test("seconds of tags that are left out are counted")
    func flood() throws {
        let layout = try Scene.layout()
        var estimator = QueueEstimator(layout)
        for second in 0..<3 as Range<Int64> {
            let powers = (0..<1100 as Range<UInt64>).map { (tag: $0, power: -80.0) }
            for gateway in layout.gateways {
                _ = estimator.take(Scene.window(second, powers: powers), from: gateway)
            }
        }
        #expect(estimator.refusedTagSeconds == 0)
        _ = estimator.finish()
        // All are loudest at the first gateway: 750 have a place.
        #expect(estimator.refusedTagSeconds == 3 * 350)
    }

    /// An empty window of each gateway for each second after the scene's start.
    private func windows(
        _ seconds: Range<Int64>, _ gateways: [String]
    ) -> [(gateway: String, fact: WindowFact)] {
        seconds.flatMap { second in gateways.map { ($0, Scene.window(second)) } }
    }

    @Test("the live results keep no more of a backlog of hours than the final ones")
    func backlog() throws {
        let layout = try Scene.layout()
        var final = QueueFold(layout, levels: LearntLevels(), learning: .zero)
        var live = LiveFold<QueueFold>()
        let hours: Int64 = 4 * 3600
        // In each second of the caller's clock, 200 seconds of the gateways arrive.
        for tick in 0..<hours / 200 {
            let arrived = windows(tick * 200..<tick * 200 + 200, layout.gateways).map(\.fact)
            for (index, fact) in arrived.enumerated() {
                _ = final.take(fact, from: index % layout.gateways.count)
                live.update { _ = $0.take(fact, from: index % layout.gateways.count) }
            }
            let newest = try #require(final.seconds.newest)
            _ = final.advance(settling: newest - .seconds(3600), ())
            live.advance(
                through: Scene.second(hours + tick), offline: [], (), atMost: .seconds(40),
                from: final)
            let bytes = arrived.reduce(0) { $0 + $1.bytes }
            let pending = live.seconds.reduce(0) { $0 + $1.pendingBytes }
            // There are four copies at most.
            #expect(pending <= 4 * (final.seconds.pendingBytes + bytes))
        }
    }

    @Test("an hour of windows behind a hole is folded in parts, with the same results")
    func parts() throws {
        let layout = try Scene.layout()
        var whole = QueueEstimator(layout)
        for (gateway, fact) in windows(0..<3600, layout.gateways) {
            _ = whole.take(fact, from: gateway)
        }
        var parted = whole
        let expected = whole.advance()
        #expect(expected.periods.count > 50)
        var results: [QueueEstimator.Result] = []
        for _ in 0..<9 {
            let part = parted.advance(atMost: .seconds(400))
            // A call closes a minute more than it folds at most.
            #expect(part.periods.count <= 400 / 60 + 1)
            results += part
        }
        #expect(results == expected)
    }

    @Test("live results of an hour behind a hole are computed in parts, with the same results")
    func liveParts() throws {
        let layout = try Scene.layout()
        var whole = QueueEstimator(layout, learning: .zero)
        for (gateway, fact) in windows(0..<3600, [layout.gateways[0]]) {
            _ = whole.take(fact, from: gateway)
        }
        var parted = whole
        let present = Scene.second(3600)
        whole.advance(through: present)
        #expect(!whole.isBehind)
        var calls = 0
        repeat {
            parted.advance(through: present, atMost: .seconds(10))
            calls += 1
        } while parted.isBehind && calls < 10_000
        // 3,570 seconds until half a minute ago. The call of the last ten also folds the first ten of the 28 that follow.
        #expect(calls == 357 + 2)
        #expect(parted.provisional == whole.provisional)
    }

    @Test("a hole in full memory is passed in parts")
    func fullParts() throws {
        let layout = try Scene.layout()
        var estimator = QueueEstimator(layout, learning: .zero, mostPendingBytes: 66_600)
        for (gateway, fact) in windows(0..<1200, [layout.gateways[0]]) {
            _ = estimator.take(fact, from: gateway)
        }
        var calls: Int64 = 0
        repeat {
            #expect(estimator.advance(atMost: .seconds(10)).periods.count <= 1)
            calls += 1
        } while estimator.isBehind && calls < 10_000
        #expect(estimator.passedEarly == .seconds(calls * 10))
        // 66,600 bytes are 222 windows without readings. The fold keeps up to as many that it has passed.
        #expect((1200 - 222 - 60...1200).contains(estimator.passedEarly.wholeSeconds))
    }
}

import JSON
import Primitives
import Sightings
import Testing

@testable import Facts
@testable import Queueing

@Suite("the estimator of a site")
struct QueueEstimatorTests {
    private static let walks = Scene.twelve
    private static let messages = Scene.messages(walks, seconds: 0..<1200, seed: 7)

    @Test("visits have the dates of the walks")
    func visits() throws {
        let visits = try Scene.results(Self.messages).visits
        let served = visits.filter { $0.end == .served }
        #expect(served.count == Self.walks.count)
        for visit in served {
            let walk = try #require(Self.walks.first { $0.tag == visit.tag.rawValue })
            #expect(abs(Scene.second(walk.joined).distance(to: visit.entered.second)) <= 4)
            #expect(abs(Scene.second(walk.left).distance(to: visit.left.second)) <= 4)
            #expect(visit.isExact)
        }
    }

    @Test("a beacon that people use in turn has a visit of each", arguments: [true, false])
    func inTurn(isNamed: Bool) throws {
        let walks = (0..<14).map { (index: Int64) in
            Scene.Walk(tag: 1, joined: 60 + index * 240, left: 150 + index * 240)
        }
        var layout = try Scene.layout()
        if isNamed { layout.beacons.visitor = [BeaconRange()] }
        var estimator = QueueEstimator(layout, learning: .zero)
        for message in Scene.messages(walks, seconds: 0..<3600, seed: 7) {
            _ = estimator.take(message.window, from: message.gateway)
        }
        let visits = estimator.finish().visits.count
        // A tag that nobody has named is staff after eight.
        #expect(isNamed ? visits == walks.count : (8...9).contains(visits))
    }

    @Test(
        "any order and any repetitions give identical final results",
        arguments: [1, 2, 3, 4, 5] as [UInt64])
    func order(seed: UInt64) throws {
        let expected = try Scene.results(Self.messages)
        var random = SplitMix64(seed: seed)
        let repeated = Self.messages.filter { _ in Bool.random(using: &random) }
        let shuffled = (Self.messages + repeated).shuffled(using: &random)
        let results = try Scene.results(shuffled)
        #expect(results == expected, "seed \(seed)")
        let text = { (results: [QueueEstimator.Result]) in
            results.periods.map { $0.json(site: "s", rev: 1, isFinal: true).text }
        }
        #expect(text(results) == text(expected), "seed \(seed)")
    }

    /// A line in which many people join within a few seconds, and some leave before those in front of them.
    private static let crowd = Scene.messages(
        (0..<60).map { (index: Int64) in
            let joined = 60 + index / 4 * 50 + index % 4
            return Scene.Walk(
                tag: UInt64(index), joined: joined,
                left: joined + 60 + index % 4 * 25 - index % 3 * 20 + index % 7)
        }, seconds: 0..<1200, seed: 7)

    @Test(
        "results do not depend on the pseudonyms of the tags",
        arguments: 1...10 as ClosedRange<UInt64>)
    func pseudonyms(key: UInt64) throws {
        let renamed = Self.crowd.map { message in
            Scene.Message(
                gateway: message.gateway,
                window: Scene.renamed(message.window) { SplitMix64.mix($0 ^ key) })
        }
        let results = try Scene.results(renamed)
        let expected = try Scene.results(Self.crowd)
        #expect(results.periods == expected.periods, "key \(key)")
        let dates = { (visit: Visit) in [visit.entered.second, visit.left.second] }
        #expect(results.visits.map(dates) == expected.visits.map(dates), "key \(key)")
        #expect(results.visits.map(\.logOdds) == expected.visits.map(\.logOdds), "key \(key)")
        #expect(expected.visits.count > 40)
    }

    @Test(
        "messages within the allowed lateness give the results of the whole",
        arguments: [1, 2, 3] as [UInt64])
    func lateness(seed: UInt64) throws {
        let expected = try Scene.results(Self.messages)
        var random = SplitMix64(seed: seed)
        // Each message is delayed by less than a minute of the gateways' time.
        let delayed = Self.messages.map { message in
            (
                message.window.span.upperBound.milliseconds
                    + Int64.random(in: 0..<59_000, using: &random), message
            )
        }
        let results = try Scene.results(
            delayed.sorted { $0.0 < $1.0 }.map(\.1), allowedLateness: .seconds(60))
        #expect(results.visits == expected.visits, "seed \(seed)")
        #expect(results.periods == expected.periods, "seed \(seed)")
    }

    @Test("Little's identity is exact in each minute")
    func little() throws {
        let results = try Scene.results(Self.messages)
        #expect(results.periods.allSatisfy { $0.littleResidual == .zero })
        // Counted once more, from the outside: the lengths of minutes add up to the waits.
        let personSeconds = results.periods.reduce(0.0) {
            $0 + ($1.line.meanLength ?? 0) * Double($1.seconds.count)
        }
        let waits = results.visits.reduce(.zero) { $0 + $1.wait }
        #expect(.seconds(Int64(personSeconds.rounded())) == waits)
    }

    @Test(
        "a person who is in line as the day begins joined in its first second or later",
        arguments: 1...40 as ClosedRange<UInt64>)
    func beginning(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let walks = (1...6).map { (tag: UInt64) -> Scene.Walk in
            let joined = Int64.random(in: -30...4, using: &random)
            return Scene.Walk(
                tag: tag, joined: joined,
                left: joined + .random(in: 45...200, using: &random))
        }
        let messages = Scene.messages(walks, seconds: 0..<400, seed: seed)
        let results = try Scene.results(messages)
        #expect(results.periods.allSatisfy { $0.littleResidual == .zero }, "seed \(seed)")
        for visit in results.visits {
            #expect(visit.entered.second >= Scene.second(0), "seed \(seed)")
        }
    }

    @Test("the time over the target is within its minute, also in the first one of a day")
    func overTarget() throws {
        let roles = QueueRoles(try Scene.layout().queues[0], gateways: ["entry", "till"])
        var period = OpenPeriod(start: 115, gateways: ["entry", "till"])
        let heard = [GatewaySecond](repeating: GatewaySecond(heard: .seconds(1)), count: 2)
        for _ in 0..<5 { period.add(heard, roles, isUnseen: false) }
        let forecast = Forecast(wait: 300, low: 0, high: 600, record: ForecastRecord().summary)
        period.add(forecast, target: .seconds(60), isBusy: false, isHidden: false, somebody: 0)
        #expect(period.overTarget == .seconds(5))
    }

    @Test("a minute without a forecast or a target does not know its time over the target")
    func noTarget() throws {
        let roles = QueueRoles(try Scene.layout().queues[0], gateways: ["entry", "till"])
        let heard = [GatewaySecond](repeating: GatewaySecond(heard: .seconds(1)), count: 2)
        let forecast = Forecast(wait: 300, low: 0, high: 600, record: ForecastRecord().summary)
        let minute = { (forecast: Forecast?, target: Duration?) in
            var period = OpenPeriod(start: 120, gateways: ["entry", "till"])
            for _ in 0..<10 { period.add(heard, roles, isUnseen: false) }
            period.add(forecast, target: target, isBusy: false, isHidden: false, somebody: 0)
            return period.overTarget
        }
        #expect(minute(nil, .seconds(60)) == nil)
        #expect(minute(forecast, nil) == nil)
        #expect(minute(forecast, .seconds(400)) == .zero)
        #expect(minute(forecast, .seconds(60)) == .seconds(10))
    }

    @Test("a window in the far future costs no time and changes no earlier result")
    func future() throws {
        let expected = try Scene.results(Self.messages)
        let second = Scene.start + .seconds(200 * 365 * 86_400)
        let window = WindowFact(
            session: "till", numbers: 99_999...99_999,
            span: second.span, readings: [])
        let results = try Scene.results(
            Self.messages + [Scene.Message(gateway: "till", window: window)])
        #expect(results.visits == expected.visits)
        let whole = expected.periods.dropLast()
        #expect(Array(results.periods.prefix(whole.count)) == Array(whole))
    }

    @Test("provisional minutes are restated with a higher rev, and then are final")
    func restatements() throws {
        var estimator = QueueEstimator(
            try Scene.layout(), allowedLateness: .seconds(120), learning: .zero)
        var restatements = Restatements()
        var revs: [UnixSecond: [Int]] = [:]
        var finals: Set<UnixSecond> = []
        for message in Self.messages {
            _ = estimator.take(message.window, from: message.gateway)
            guard message.gateway == "till",
                message.window.span.upperBound.milliseconds % 60_000 == 0
            else {
                continue
            }
            for period in estimator.advance().periods {
                let start = period.seconds.lowerBound
                #expect(finals.insert(start).inserted)
                let result = restatements.result(of: period, site: "s", isFinal: true)
                revs[start, default: []].append(try #require(result?.rev))
            }
            estimator.advance(through: UnixSecond(containing: message.window.span.upperBound))
            for period in estimator.provisional {
                let start = period.seconds.lowerBound
                #expect(!finals.contains(start))
                let result = restatements.result(of: period, site: "s", isFinal: false)
                if let rev = result?.rev { revs[start, default: []].append(rev) }
            }
        }
        #expect(revs.values.contains { $0.count > 1 })
        for list in revs.values { #expect(list == list.sorted()) }
    }
}

import Facts
import Primitives
import Testing

@testable import Queueing

@Suite("the forecast of a wait")
struct ForecasterTests {
    private static func visit(_ entered: Int64, _ left: Int64) -> Visit {
        Visit(
            queue: "q", tag: Tag(rawValue: 1), entered: EdgeDate(UnixSecond(entered)),
            left: EdgeDate(UnixSecond(left)),
            end: .served, logOdds: 5)
    }

    @Test("two tills that end a service in the same second have served two people in a step")
    func sameSecond() throws {
        var departures = Departures()
        for round in 0..<5 as Range<Int64> {
            for _ in 0..<2 { departures.note(Self.visit(round * 20, 300 + round * 20)) }
        }
        let mean = try #require(Departures.mean(departures.steps([]), since: 0))
        // 80 s for the nine after the first one.
        #expect(abs(mean - 80.0 / 9) < 1e-9)
    }

    /// Tills that serve one person in `service` seconds, and a line that grows and shrinks.
    ///
    private static func run(
        tills: Int = 1, service: (Int) -> Int64
    ) -> (forecaster: Forecaster, errors: [Double], waits: [Double]) {
        var random = SplitMix64(seed: 11)
        var forecaster = Forecaster()
        var persons: [(entered: Int64, left: Int64)] = []
        var free = [Int64](repeating: 0, count: tills)
        var at: Int64 = 0
        for index in 0..<400 {
            at += Int64.random(in: 20...(index / 50 % 2 == 0 ? 90 : 150), using: &random)
            let till = free.indices.min { free[$0] < free[$1] } ?? 0
            let left = max(at, free[till]) + service(index)
            free[till] = left
            persons.append((at, left))
        }
        var errors: [Double] = []
        var waits: [Double] = []
        var finished = 0
        for number in 0..<at {
            let second = UnixSecond(number)
            while finished < persons.count, persons[finished].left <= number {
                forecaster.on(visit(persons[finished].entered, persons[finished].left))
                finished += 1
            }
            let inLine = persons.filter { $0.entered <= number && number < $0.left }
            guard second.next.isMultiple(of: Forecaster.period) else { continue }
            var view = LineView(second: second)
            for person in inLine {
                let joins = LineScores(join: 9, leave: -9, stay: 0)
                var decoder = LineDecoder()
                _ = decoder.on(joins, at: EdgeDate(UnixSecond(person.entered)))
                view.add(
                    Tag(rawValue: 1),
                    TrackView(probability: 1, decoder: decoder, second: second))
            }
            forecaster.forecast(view)
            guard let forecast = forecaster.latest, !forecast.record.isLearning,
                let next = persons.first(where: { $0.entered > number }),
                next.entered - number < 5
            else { continue }
            errors.append(forecast.wait - Double(next.left - next.entered))
            waits.append(Double(next.left - next.entered))
        }
        return (forecaster, errors, waits)
    }

    @Test("with a constant service, the forecast is exact to a fraction of a service")
    func constant() {
        let (_, errors, _) = Self.run { _ in 60 }
        #expect(errors.count > 30)
        // The next person joins up to 5 s after the forecast. The rest of the present service follows from its start.
        #expect(errors.reduce(0) { $0 + $1.magnitude } / Double(errors.count) < 8)
    }

    @Test("with four idle tills, nobody waits for the others")
    func idleTills() {
        let (_, errors, _) = Self.run(tills: 4) { _ in 180 }
        let last = errors.suffix(errors.count / 2)
        #expect(last.count > 10)
        let mean = last.reduce(0, +) / Double(last.count)
        #expect(mean.magnitude < 20, "\(mean)")
    }

    @Test("the interval holds most waits, and the record says how many")
    func interval() throws {
        var random = SplitMix64(seed: 3)
        let services = (0..<400).map { _ in Int64.random(in: 20...100, using: &random) }
        var (forecaster, _, _) = Self.run { services[$0] }
        forecaster.forecast(LineView(second: 60_000))
        let forecast = try #require(forecaster.latest)
        let share = try #require(forecast.record.hitShare)
        #expect((0.82...0.97).contains(share), "\(share)")
        #expect(forecast.low <= forecast.wait && forecast.wait <= forecast.high)
    }

    @Test(
        "before two people were served there is no forecast: the wait of one is no step of the line"
    )
    func cold() throws {
        var forecaster = Forecaster()
        forecaster.forecast(LineView(second: 0))
        #expect(forecaster.latest == nil)
        forecaster.on(Self.visit(0, 300))
        forecaster.forecast(LineView(second: 300))
        #expect(forecaster.latest == nil)
        forecaster.on(Self.visit(100, 340))
        forecaster.forecast(LineView(second: 340))
        #expect(try #require(forecaster.latest).wait == 40)
    }

    @Test("a time in which others may have left unseen is no step")
    func unseenDepartures() {
        var departures = Departures()
        for (entered, left) in [(0, 100), (20, 150), (40, 500), (450, 560)] as [(Int64, Int64)] {
            departures.note(Self.visit(entered, left))
        }
        #expect(departures.steps([]).map(\.length.wholeSeconds) == [50, 350, 60])
        for second in 200..<480 as Range<UnixSecond> {
            departures.note(unseen: second..<second.next)
        }
        #expect(departures.steps([]).map(\.length.wholeSeconds) == [50, 60])
    }

    @Test("a person whose joining no gateway saw shows no step, but ends one")
    func unseen() {
        var departures = Departures()
        for (entered, left, unknown) in [
            (0, 100, nil), (150, 250, 120..<160), (200, 290, nil),
        ] as [(Int64, Int64, Range<UnixSecond>?)] {
            departures.note(
                Visit(
                    queue: "q", tag: Tag(rawValue: 1),
                    entered: EdgeDate(UnixSecond(entered), unknown: unknown.map { [$0] } ?? []),
                    left: EdgeDate(UnixSecond(left)), end: .served, logOdds: 5))
        }
        #expect(departures.steps([]).map(\.length) == [.seconds(40)])
    }
}

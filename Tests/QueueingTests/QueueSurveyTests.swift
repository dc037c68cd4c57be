import Contract
import Facts
import JSON
import Primitives
import Testing

@testable import Queueing

@Suite("a survey of a queue")
struct QueueSurveyTests {
    /// The mean powers at each spot, in dBm, with a deviation of 3 dB; `nil` where a gateway hears nothing.
    private static func survey(
        entry: (Double?, Double?), middle: (Double?, Double?), till: (Double?, Double?),
        beside: (Double?, Double?)? = nil, seconds: Int = 15
    ) throws -> QueueSurvey {
        var survey = QueueSurvey(try Scene.layout().queues[0])
        let spots: [(SurveySpot, (Double?, Double?)?)] = [
            (.gateway("entry"), entry), (.middle, middle), (.gateway("till"), till),
            (.beside, beside),
        ]
        for (spot, powers) in spots {
            guard let powers else { continue }
            for (gateway, power) in [("entry", powers.0), ("till", powers.1)] {
                let powers = power.map { mean in
                    (0..<15).map { mean + Double($0 % 3 - 1) * 3.6 }
                }
                let level = SpotLevel(
                    powers: powers ?? [], seconds: seconds, reports: 5 * (powers?.count ?? 0))
                survey.set(level, of: gateway, at: spot)
            }
        }
        return survey
    }

    @Test("a good queue has the loudest second beside each gateway as its close level")
    func good() throws {
        let survey = try Self.survey(
            entry: (-55, -78), middle: (-66, -67), till: (-80, -52), beside: (-76, -74))
        #expect(survey.faults == [])
        #expect(
            survey.closeLevels == [
                SurveyedLevel(gateway: "entry", power: -51),
                SurveyedLevel(gateway: "till", power: -48),
            ])
        #expect(survey.expectation?.leastReports == 2.5)
        #expect(survey.drop.map { abs($0 - 25) < 0.1 } == true)
    }

    @Test("each fault of a place has a sentence")
    func faults() throws {
        // The entry's gateway hears the till nearly as well as its own end. Its loudest second is 3.6 dB above the mean.
        let alike = try Self.survey(entry: (-60, -78), middle: (-62, -66), till: (-65, -52))
        #expect(alike.expectation == nil)
        #expect(alike.faults.count == 1 && alike.faults[0].hasPrefix("entry hears the beacon"))
        let far = try Self.survey(entry: (-50, nil), middle: (-84, -86), till: (nil, -50))
        #expect(far.faults.count == 1 && far.faults[0].contains("middle of the line"))
        let goods = try Self.survey(
            entry: (-55, -78), middle: (-66, -67), till: (-80, -52), beside: (-68, -66))
        #expect(goods.faults.count == 1 && goods.faults[0].hasPrefix("Beside the line"))
        #expect(goods.distanceToShelf.map { $0 < 1 } == true)
        // Beside a gateway that hears half of the seconds, nothing else is judged.
        let weak = try Self.survey(
            entry: (-55, -78), middle: (-66, -67), till: (-80, -52), seconds: 30)
        #expect(weak.faults.count == 2 && weak.faults[0].hasPrefix("entry heard"))
        let silent = QueueSurvey(try Scene.layout().queues[0])
        #expect(silent.faults.count == 2 && silent.faults[1].hasPrefix("till has sent no window"))
        #expect(silent.closeLevels == [] && silent.expectation == nil)
        // A gateway that the surveyor left out is no fault.
        var short = try Self.survey(
            entry: (-55, -78), middle: (-66, -67), till: (-15, -15))
        #expect(short.faults.count == 1 && short.faults[0].hasPrefix("till hears the beacon with"))
        #expect(short.closeLevels.map(\.gateway) == ["entry"])
        short = QueueSurvey(try Scene.layout().queues[0])
        for gateway in ["entry", "till"] { short.skip(.gateway(gateway)) }
        #expect(short.faults == [] && short.closeLevels == [] && short.expectation == nil)
    }

    private static func layout(_ more: String) throws(Faults) -> SiteLayout {
        let text = """
            {"sites":[{"site":"s","queues":[
            {"queue":"q","entry":["entry"],"till":["till"]}]\(more)}]}
            """
        return try QueueConfiguration(parsing: Array(text.utf8)).sites[0]
    }

    /// Visits at gateways that hear 16 dB less than usual ones, with the layout's own time of learning.
    private static func results(_ more: String) throws -> [QueueEstimator.Result] {
        var estimator = QueueEstimator(try layout(more), allowedLateness: .zero)
        for message in Scene.messages(Scene.twelve, seconds: 0..<900, seed: 5) {
            let weaker = message.window.readings.map {
                Reading(
                    tag: $0.tag, power: $0.power - 16, count: $0.count, seen: $0.seen,
                    senders: $0.senders)
            }
            let window = WindowFact(
                session: message.window.session, numbers: message.window.numbers,
                span: message.window.span, state: message.window.state, lost: nil,
                readings: weaker)
            _ = estimator.take(window, from: message.gateway)
        }
        return estimator.finish()
    }

    @Test("a surveyed queue is known from its first visitor on")
    func known() throws {
        let levels =
            #","closeLevels":[{"gateway":"entry","dBm":-73},{"gateway":"till","dBm":-73}]"#
        let surveyed = try Self.results(levels)
        #expect(surveyed.visits.count { $0.end == .served } == 12)
        #expect(surveyed.periods.dropFirst(2).allSatisfy { $0.state == .ok })
        let unknown = try Self.results("")
        #expect(unknown.visits.isEmpty)
        #expect(unknown.periods.dropFirst(2).allSatisfy { $0.state == .unknown })
    }

    @Test("twenty visitors correct a survey, louder or weaker", arguments: [-74.0, -50])
    func corrected(surveyed: Double) throws {
        let layout = try Scene.layout()
        let roles = layout.queues.map { QueueRoles($0, gateways: layout.gateways) }
        var levels = CloseLevels(
            [CloseLevel(), CloseLevel()], surveyed: [surveyed, nil], roles: roles)
        levels.update(present: [])
        #expect(abs(levels[0] - surveyed) < 0.5 && abs(levels[1] + 58) < 0.5)
        for _ in 0..<25 { levels.add([-62, -90], at: 0) }
        levels.update(present: [])
        #expect(abs(levels[0] + 62) < 1)
    }

    @Test("a survey leaves the time of learning to a queue without it")
    func learning() throws {
        let text = #","closeLevels":[{"gateway":"entry","dBm":-73}]"#
        let estimator = QueueEstimator(try Self.layout(text), allowedLateness: .zero)
        #expect(estimator.learntLevels["entry"]?.learning == .seconds(900))
    }

    private static func window(
        _ seconds: Range<Int64>, power: Double?, isListening: Bool = true, reports: Int = 5
    ) -> SurveyWindow {
        SurveyWindow(
            span: Scene.second(seconds.lowerBound).start..<Scene.second(seconds.upperBound).start,
            isListening: isListening,
            heard: power.map { SurveyWindow.Heard(power: $0, reports: reports) })
    }

    @Test("the newest windows count, for all their seconds; earlier ones are a backlog")
    func windows() {
        let backlog = (Int64(0)..<600).map { Self.window($0..<$0 + 1, power: -20) }
        let five = [600, 605, 610].map { Self.window($0..<$0 + 5, power: -60) }
        let level = SpotLevel(backlog + five, seconds: 15)
        #expect(level.powers.count == 15 && level.heard == 1 && level.reports == 15)
        #expect(level.powers.allSatisfy { abs($0 + 60) < 0.001 })
        let wide = SpotLevel([Self.window(0..<60, power: -60)], seconds: 15)
        #expect(wide.isTooWide && wide.powers.isEmpty)
        let deaf = SpotLevel(
            (Int64(0)..<15).map {
                Self.window($0..<$0 + 1, power: $0 < 8 ? -60 : nil, isListening: $0 < 8)
            }, seconds: 15)
        #expect(deaf.deaf == 7 && deaf.powers.count == 8)
        let hostile = SpotLevel(
            (Int64(0)..<2).map { Self.window($0..<$0 + 1, power: -60, reports: .max) },
            seconds: 15)
        #expect(hostile.reports == 2_000_000)
    }

    @Test("a level needs a gateway of a queue and a possible power")
    func configuration() throws {
        let good = try Self.layout(#","closeLevels":[{"gateway":"till","dBm":-50}]"#)
        #expect(good.closeLevels == [SurveyedLevel(gateway: "till", power: -50)])
        for (text, words) in [
            (#"{"gateway":"tilll","dBm":-50}"#, "did you mean “till”?"),
            (#"{"gateway":"till","dBm":50}"#, "dBm"), (#"{"gateway":"till"}"#, "dBm"),
            (#"{"gateway":"till","dBm":-50},{"gateway":"till","dBm":-51}"#, "twice"),
        ] {
            #expect(throws: Faults.self) { try Self.layout(",\"closeLevels\":[\(text)]") }
            do throws(Faults) {
                _ = try Self.layout(",\"closeLevels\":[\(text)]")
            } catch {
                #expect(error.list.contains { $0.message.contains(words) }, "\(error.list)")
            }
        }
    }
}

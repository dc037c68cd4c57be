import Facts
import JSON
import Primitives
import Testing

@testable import Queueing
@testable import Server

@Suite("the published state of a queue")
struct PublishedStateTests {
    private static func now(
        _ state: QueuePeriod.State, since: UnixSecond?, at: UnixSecond?, reasons: [String] = []
    ) -> QueueNow {
        let line = QueueNow.Line(
            tags: 0, length: LengthInterval(TagsInLine([], recall: 0.95), nil), forecast: nil,
            leavers: QueueNow.Leavers(
                served: LengthInterval(TagsInLine([], recall: 0.95), nil), abandoned: 0,
                waits: WaitStatistics([]), median: QuantileInterval(0.5, of: [], served: 0, nil),
                p90: QuantileInterval(0.9, of: [], served: 0, nil)), perHour: nil, openTills: nil)
        return QueueNow(
            queue: "q", at: at, state: state, since: since,
            reasons: reasons.map {
                QueueNow.Reason(gateway: $0, cause: .unknown, since: since, until: nil)
            }, line: state == .unknown ? nil : line, trend: [], tills: 1, coverage: nil,
            targetWait: nil, littleResidual: .zero)
    }

    /// The dates of states, each with the estimator's date and its second.
    private static func dates(
        _ states: [(QueuePeriod.State, since: UnixSecond?, at: UnixSecond?)]
    ) -> [UnixSecond?] {
        var published = PublishedState()
        return states.map { published.on(now($0.0, since: $0.since, at: $0.at)).since }
    }

    @Test("a state is no older than the one before it")
    func dates() {
        let dates = Self.dates([
            (.ok, 100, 500), (.ok, 100, 501),
            // A tag in doubt: the gateways still hear since 100.
            (.unknown, 100, 502), (.unknown, 100, 503), (.ok, 100, 510), (.ok, 100, 520),
            // A gateway fails.
            (.degraded, 530, 531),
        ])
        #expect(dates == [100, 100, 502, 502, 502, 520, 531])
    }

    @Test("a state that goes on keeps its date")
    func kept() {
        let dates = Self.dates([
            (.unknown, nil, nil), (.unknown, 100, 103),
            // The gateways hear since 150, and a tag is in doubt.
            (.unknown, 150, 151), (.ok, 150, 163), (.ok, 150, 164),
        ])
        #expect(dates == [nil, 100, 100, 163, 163])
    }

    @Test("a doubt that comes and goes makes one unknown time, with its reasons")
    func steady() {
        var published = PublishedState()
        _ = published.on(Self.now(.ok, since: 0, at: 100))
        var states: [QueuePeriod.State] = []
        for second in 101..<150 as Range<UnixSecond> {
            let isInDoubt = second < 120 && second.isMultiple(of: .seconds(4))
            let now = published.on(
                isInDoubt
                    ? Self.now(.unknown, since: 0, at: second, reasons: ["till"])
                    : Self.now(.ok, since: 0, at: second))
            states.append(now.state)
            #expect((now.line == nil) == (now.state == .unknown))
            #expect(now.reasons.map(\.gateway) == (now.state == .unknown ? ["till"] : []))
            if now.state == .unknown { #expect(now.since == 104) }
        }
        // From second 104 on, and until ten seconds after the last doubt in 116.
        #expect(states.prefix(3).allSatisfy { $0 == .ok })
        #expect(states[3..<26].allSatisfy { $0 == .unknown })
        #expect(states[26...].allSatisfy { $0 == .ok })
    }

    @Test("a clock that is set back by an hour makes the pause no longer")
    func setBack() {
        var published = PublishedState()
        _ = published.on(Self.now(.ok, since: 0, at: 5000))
        _ = published.on(Self.now(.unknown, since: 0, at: 5001))
        #expect(published.on(Self.now(.ok, since: 0, at: 5002)).state == .unknown)
        #expect(published.on(Self.now(.ok, since: 0, at: 1400)).state == .unknown)
        #expect(published.on(Self.now(.ok, since: 0, at: 1410)).state == .ok)
    }

    @Test("a queue that was never known has no pause")
    func first() {
        var published = PublishedState()
        #expect(published.on(Self.now(.unknown, since: nil, at: nil)).since == nil)
        #expect(published.on(Self.now(.ok, since: 10, at: 40)).state == .ok)
    }

    @Test(
        "a gateway that was offline is still the cause when it is back, and not of a later silence")
    func causes() {
        var queues = QueueStates()
        func cause(
            _ since: UnixSecond, at: UnixSecond, _ absences: [String: QueueNow.Reason.Cause] = [:]
        ) -> QueueNow.Reason.Cause? {
            let now = Self.now(.unknown, since: since, at: at, reasons: ["till"])
            return queues.on([now], absences: absences).first?.reasons.first?.cause
        }
        #expect(cause(100, at: 116) == .unknown)
        #expect(cause(100, at: 120, ["till": .offline]) == .offline)
        #expect(cause(100, at: 140) == .offline)
        #expect(cause(200, at: 216) == .unknown)
    }
}

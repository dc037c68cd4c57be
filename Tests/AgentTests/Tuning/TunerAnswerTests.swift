import Contract
import HCI
import Primitives
import Testing

@testable import Agent
@testable import Radio

/// The tuner and a radio that answers late, twice, or not at all.
@Suite struct TunerAnswerTests {
    private static let now = Instant(microseconds: 1_000_000)

    /// A tuner that has sent an order, the order, and when.
    private static func ordering() throws -> (tuner: Tuner, order: TuningOrder, at: Instant) {
        var tuner = Tuner(local: .object([]), tuning: Tuning())
        var standing = RadioStanding()
        standing.isReady = true
        tuner.on(standing, at: now)
        tuner.on(Array(#"{"version":1,"report":{"windowMs":500}}"#.utf8), of: .site, at: now)
        let due = try #require(tuner.deadline)
        let orders = tuner.tick(at: due).compactMap { action in
            if case .order(let order) = action { order } else { nil }
        }
        return (tuner, try #require(orders.first), due)
    }

    @Test("While the radio is at it nothing is reported, and then all at once")
    func reportWaits() throws {
        var (tuner, order, now) = try Self.ordering()
        tuner.connected()
        #expect(!tuner.isReportDue)
        let actions = tuner.on(TuningAnswer(id: order.id, outcome: .applied), at: now)
        #expect(actions == [.persist(tuner.inForce.layers)])
        #expect(tuner.isReportDue)
        #expect(tuner.takeReport(session: "s").versions == LayerVersions(site: 1))
        #expect(!tuner.isReportDue)
    }

    @Test("An order that is never answered is made again; its late answer changes nothing")
    func neverAnswered() throws {
        var (tuner, order, begun) = try Self.ordering()
        let deadline = try #require(tuner.deadline)
        #expect(deadline.microseconds(since: begun) == Tuner.answerTime)
        #expect(tuner.tick(at: deadline) == [])
        let due = try #require(tuner.deadline)
        let again = tuner.tick(at: due)
        guard case .order(let second)? = again.first else {
            Issue.record("no second order: \(again)")
            return
        }
        #expect(second.tuning == order.tuning)
        #expect(second.id != order.id)
        #expect(tuner.on(TuningAnswer(id: order.id, outcome: .applied), at: due) == [])
        #expect(tuner.inForce.layers == Layers())
        #expect(tuner.on(TuningAnswer(id: second.id, outcome: .applied), at: due).count == 1)
        #expect(tuner.on(TuningAnswer(id: second.id, outcome: .applied), at: due) == [])
        #expect(tuner.inForce.layers.versions == LayerVersions(site: 1))
    }
}

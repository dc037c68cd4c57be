import Contract
import HCI
import Primitives
import Testing

@testable import Agent
@testable import Radio

/// The reconciler with a radio that answers late, twice, or not at all.
@Suite struct ApplyResultTests {
    private static let now = Instant(microseconds: 1_000_000)

    /// A reconciler after a request, with the request and its time.
    private static func ordering() throws -> (
        reconciler: SettingsReconciler, order: ApplyRequest, at: Instant
    ) {
        var reconciler = SettingsReconciler(local: .object([]), settings: GatewaySettings())
        var controller = ControllerState()
        controller.isReady = true
        reconciler.on(controller, at: now)
        reconciler.on(Array(#"{"version":1,"report":{"windowMs":500}}"#.utf8), of: .site, at: now)
        let due = try #require(reconciler.deadline)
        let orders = reconciler.tick(at: due).compactMap { action in
            if case .apply(let order) = action { order } else { nil }
        }
        return (reconciler, try #require(orders.first), due)
    }

    @Test("no report is due during an attempt, and one report is due after it")
    func reportWaits() throws {
        var (reconciler, order, now) = try Self.ordering()
        reconciler.connected()
        #expect(!reconciler.isReportDue)
        let actions = reconciler.on(ApplyResult(id: order.id, outcome: .applied), at: now)
        #expect(actions == [.persist(DatedLayers(reconciler.inForce.layers))])
        #expect(reconciler.isReportDue)
        #expect(reconciler.takeReport(session: "s").versions == LayerVersions(site: 1))
        #expect(!reconciler.isReportDue)
    }

    @Test("an unanswered request is repeated, and its late result is ignored")
    func neverAnswered() throws {
        var (reconciler, order, begun) = try Self.ordering()
        let deadline = try #require(reconciler.deadline)
        #expect(deadline - begun == SettingsReconciler.answerTimeout)
        #expect(reconciler.tick(at: deadline) == [])
        let due = try #require(reconciler.deadline)
        let again = reconciler.tick(at: due)
        guard case .apply(let second)? = again.first else {
            Issue.record("no second order: \(again)")
            return
        }
        #expect(second.settings == order.settings)
        #expect(second.id != order.id)
        #expect(reconciler.on(ApplyResult(id: order.id, outcome: .applied), at: due) == [])
        #expect(reconciler.inForce.layers == Layers())
        #expect(reconciler.on(ApplyResult(id: second.id, outcome: .applied), at: due).count == 1)
        #expect(reconciler.on(ApplyResult(id: second.id, outcome: .applied), at: due) == [])
        #expect(reconciler.inForce.layers.versions == LayerVersions(site: 1))
    }
}

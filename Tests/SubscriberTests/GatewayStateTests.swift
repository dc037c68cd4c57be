import Contract
import MessageSamples
import Primitives
import Sightings
import Subscriber
import Testing

@Suite("state of a gateway")
struct GatewayStateTests {
    private func condition(_ state: GatewayState, configuration: ReportedMessage.Status = .applied)
        -> GatewayCondition
    {
        var evidence = state.evidence(at: Samples.at(3))
        evidence.configuration = configuration
        return evidence.condition
    }

    private func hear(_ state: inout GatewayState, _ message: SightingsMessage) -> Bool {
        state.on(message, at: Samples.at(2), wall: message.windowEnd).isCurrent
    }

    @Test("all readers of a subscription see the same condition", arguments: GatewaySample.all)
    func samples(_ sample: GatewaySample) {
        var state = GatewayState()
        _ = state.on(sample.status)
        state.on(sample.health)
        if let window = sample.window { _ = hear(&state, window) }
        #expect(condition(state, configuration: sample.report.status) == sample.condition)
    }

    @Test("health may come before the status, and health of another run says nothing")
    func order() throws {
        let sample = try #require(GatewaySample.all.first { $0.condition == .backlog })
        var state = GatewayState()
        state.on(sample.health)
        _ = state.on(sample.status)
        #expect(condition(state) == .backlog)
        _ = state.on(Samples.status(.online, session: "b"))
        #expect(state.health == nil && condition(state) == .online)
    }

    @Test("after a clock was set back, the radio's state is that of the latest window")
    func clockSetBack() {
        var state = GatewayState()
        _ = state.on(Samples.status(.online, clock: .unsynced))
        #expect(hear(&state, Samples.batch(1, second: 100_000, clock: .unsynced)))
        #expect(hear(&state, Samples.batch(2, second: 5, clock: .synced, state: .deaf)))
        #expect(condition(state) == .deaf && state.clock == .synced)
        // A backlog is older by both measures.
        #expect(!hear(&state, Samples.batch(0, second: 4)))
        #expect(condition(state) == .deaf)
    }

    @Test("a status with another clock alone changes the clock")
    func clockOfStatus() {
        var state = GatewayState()
        _ = state.on(Samples.status(.online, clock: .unsynced))
        #expect(state.on(Samples.status(.online, clock: .synced)) == [.clock(.synced)])
        #expect(condition(state) == .online)
    }

    @Test("a gateway whose messages wait for its clock is not silent; after a window it can be")
    func waiting() {
        var state = GatewayState()
        _ = state.on(Samples.status(.online, clock: .unsynced))
        for expected in [GatewayCondition.unsynced, .silent] {
            var evidence = state.evidence(at: Samples.at(60))
            evidence.isSilent = true
            #expect(evidence.condition == expected)
            _ = hear(&state, Samples.batch(0, clock: .unsynced))
        }
    }

    @Test("a gap that a backlog fills is no loss any more; one that stays open is")
    func gap() {
        for isFilled in [true, false] {
            var state = GatewayState()
            _ = state.on(Samples.status(.online))
            for seq in [0, 4] as [UInt64] { _ = hear(&state, Samples.batch(seq)) }
            #expect(condition(state) == .losing)
            if isFilled {
                for seq in 1...3 as ClosedRange<UInt64> { _ = hear(&state, Samples.batch(seq)) }
            }
            #expect(condition(state) == (isFilled ? .online : .losing))
        }
    }

    @Test("a gateway without status and windows is unknown, one with windows is not")
    func unknown() {
        var state = GatewayState()
        #expect(condition(state) == .unknown)
        _ = hear(&state, Samples.batch(0))
        #expect(condition(state) == .online)
    }
}

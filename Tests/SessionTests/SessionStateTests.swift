import Posix
import Primitives
import Testing

@testable import MQTT
@testable import Session

private func at(_ seconds: Int64) -> Instant { Instant(microseconds: seconds * 1_000_000) }

@Suite("SessionState")
struct SessionStateTests {
    private let address = "192.0.2.1:1883"

    private func state(_ change: (inout BrokerSession.Settings) -> Void = { _ in }) -> SessionState
    {
        let connection = ConnectionSettings(host: "192.0.2.1", port: 1883, clientID: "c")
        var settings = BrokerSession.Settings(connection, filters: ["a", "b"], dispensable: ["b"])
        change(&settings)
        return SessionState(settings, at: at(0))
    }

    private func failure(_ cause: ConnectionFailure.Cause) -> ConnectionFailure {
        ConnectionFailure(address: address, cause: cause)
    }

    private func abilities(receiveMaximum: Int = 10) -> BrokerAbilities {
        var abilities = BrokerAbilities(version: .v5)
        abilities.receiveMaximum = receiveMaximum
        return abilities
    }

    @Test("an attempt begins once, and not before its time")
    func attempts() {
        var state = state()
        #expect(state.beginAttempt(at: at(0)) == .v5)
        #expect(state.beginAttempt(at: at(0)) == nil)
        let end = state.ended(failure(.unreachable(.connectionRefused)), at: at(1), random: .max)
        #expect(state.nextAttempt == at(1) + end.wait)
        #expect(state.beginAttempt(at: at(1)) == nil)
        #expect(state.beginAttempt(at: at(1) + end.wait) == .v5)
    }

    @Test("two failures in turn are each reported once until the next connection")
    func alternatingFailures() {
        var state = state()
        _ = state.connected(abilities(), at: at(0))
        let causes = [ConnectionFailure.Cause.lost(nil), .unreachable(.connectionRefused)]
        func reports() -> [Bool] {
            (0..<6).map { state.ended(failure(causes[$0 % 2]), at: at(1), random: 0).isNew }
        }
        #expect(reports() == [true, true, false, false, false, false])
        _ = state.connected(abilities(), at: at(2))
        #expect(reports() == [true, true, false, false, false, false])
    }

    @Test("only the end of a brief connection without a reason may be the work of a rival")
    func rival() {
        let causes: [(ConnectionFailure.Cause, Bool)] = [
            (.lost(nil), true), (.dismissed(.unspecified), true),
            (.dismissed(.quotaExceeded), false), (.library(25, .connectionRefused), false),
        ]
        for (cause, isRival) in causes {
            var state = state()
            _ = state.connected(abilities(), at: at(0))
            let end = state.ended(failure(cause), at: at(1), random: 0)
            guard case .lost(let message) = end.report else {
                Issue.record("\(cause): \(end.report)")
                continue
            }
            #expect(message.contains("another program") == isRival, "\(message)")
        }
    }

    @Test("a broker that refuses version 5 is no failure, and is remembered by a new configuration")
    func negotiation() {
        let refusal = failure(.refused(.unsupportedProtocolVersion))
        var state = state()
        let first = state.ended(refusal, at: at(0), random: 0)
        #expect(first.doubt == .refused)
        #expect(first.report == .none)
        #expect(state.beginAttempt(at: at(0)) == .v311)
        state.migrate(to: [state.broker], at: at(1))
        _ = state.switchBrokers(at: at(1))
        #expect(state.beginAttempt(at: at(1)) == .v311)
    }

    @Test("a broker that answers no version is a failure once, after both versions")
    func noVersion() {
        var state = state { $0.patience = 2 }
        let ends = (0..<6).map { _ in
            state.ended(failure(.closedUnanswered), at: at(0), random: 0)
        }
        #expect(ends.map { $0.doubt != nil } == [true, true, false, false, false, false])
        #expect(ends.map(\.isNew) == [true, false, true, false, false, false])
        #expect(ends.map { $0.report == .none } == [true, true, false, false, false, false])
    }

    @Test("the end of connections over a packet is reported, and the next wait is the first one")
    func endingPacket() {
        var state = state { $0.backoff = Backoff(base: .seconds(1), cap: .seconds(64)) }
        let dispensable = UnansweredPacket.subscription("b")
        func end(_ packet: UnansweredPacket) -> BrokerSession.End {
            _ = state.connected(abilities(), at: at(0))
            return state.ended(
                failure(.lost(nil)), unanswered: [packet], at: at(0), random: .max)
        }
        #expect(end(dispensable).ending == nil)
        let second = end(dispensable)
        #expect(second.ending?.packet == dispensable)
        #expect(second.wait == .seconds(1))
        #expect(state.connected(abilities(), at: at(1)) == ["a"])
        _ = end(.subscription("a"))
        guard case .failed(let message) = end(.subscription("a")).report else {
            Issue.record("no failure")
            return
        }
        #expect(message.contains("allow this user to read the topic"))
    }

    @Test("a known suspect does not make the waits begin again")
    func knownSuspect() {
        var state = state { $0.backoff = Backoff(base: .seconds(1), cap: .seconds(64)) }
        let unanswered = [UnansweredPacket.subscription("a"), .subscription("b")]
        let waits = (0..<6).map { _ in
            _ = state.connected(abilities(), at: at(0))
            return state.ended(
                failure(.lost(nil)), unanswered: unanswered, at: at(0), random: .max
            ).wait
        }
        #expect(waits == [1, 1, 2, 4, 8, 16].map { .seconds($0) })
    }

    @Test("a broker that ends connections over retained messages gets none")
    func retained() {
        var state = state()
        let status = UnansweredPacket.publication(
            SentPublication(token: 1, topic: "s", bytes: 2, isRetained: true))
        let message = Publication(topic: "s", payload: [], isRetained: true)
        for _ in 0..<2 {
            _ = state.connected(abilities(), at: at(0))
            #expect(state.adapted(message).isRetained)
            _ = state.ended(failure(.lost(nil)), unanswered: [status], at: at(0), random: 0)
        }
        _ = state.connected(abilities(), at: at(0))
        #expect(!state.adapted(message).isRetained)
        #expect(state.adapted(Will(topic: "s", payload: []))?.isRetained == false)
    }

    @Test("a size that the broker calls too large twice is not tried again for five minutes")
    func tooLarge() {
        var state = state()
        func end(_ bytes: Int, at second: Int64) {
            let packet = UnansweredPacket.publication(
                SentPublication(token: 1, topic: "s", bytes: bytes, isRetained: false))
            _ = state.connected(abilities(), at: at(second))
            let cause = ConnectionFailure.Cause.dismissed(.packetTooLarge)
            _ = state.ended(failure(cause), unanswered: [packet], at: at(second), random: 0)
        }
        func isTooLarge(_ bytes: Int, at second: Int64) -> Bool {
            let payload = [UInt8](repeating: 0, count: bytes)
            return state.isTooLarge(Publication(topic: "s", payload: payload), at: at(second))
        }
        end(100, at: 0)
        #expect(!isTooLarge(100, at: 1))
        end(100, at: 1)
        #expect(!isTooLarge(99, at: 2))
        #expect(isTooLarge(100, at: 2))
        #expect(isTooLarge(5000, at: 300))
        #expect(!isTooLarge(5000, at: 301))
    }

    @Test("a stable connection tries retained messages again after a mere suspicion")
    func trial() {
        let status = UnansweredPacket.publication(
            SentPublication(token: 1, topic: "s", bytes: 2, isRetained: true))
        let message = Publication(topic: "s", payload: [], isRetained: true)
        for isRefused in [false, true] {
            var state = state()
            for _ in 0..<2 {
                _ = state.connected(abilities(), at: at(0))
                _ = state.ended(failure(.lost(nil)), unanswered: [status], at: at(0), random: 0)
            }
            _ = state.connected(abilities(), at: at(0))
            #expect(state.triesRetaining(at: at(9)) == false)
            #expect(state.triesRetaining(at: at(10)) == true)
            #expect(state.adapted(message).isRetained)
            state.sent(Publication(topic: "d", payload: []), token: 5)
            #expect(state.acknowledged(5) == false)
            if isRefused {
                // The network may have ended the first trials.
                for trial in 1...3 as ClosedRange<Int64> {
                    _ = state.ended(
                        failure(.lost(nil)), unanswered: [status], at: at(100 * trial), random: 0)
                    _ = state.connected(abilities(), at: at(100 * trial))
                    #expect(state.triesRetaining(at: at(100 * trial + 20)) == (trial < 3))
                }
            } else {
                state.sent(message, token: 6)
                #expect(state.acknowledged(6) == true)
                #expect(state.triesRetaining(at: at(30)) == false)
            }
            #expect(state.abilities?.retains == !isRefused)
            #expect(state.adapted(message).isRetained == !isRefused)
        }
    }

    @Test("a silent server is asked once whether it speaks HTTP, and a web server each time")
    func webServer() {
        var state = state()
        #expect(state.asksForHTTP)
        _ = state.ended(failure(.webServer), at: at(0), random: 0)
        #expect(state.asksForHTTP)
        _ = state.ended(failure(.connectUnanswered), at: at(1), random: 0)
        #expect(!state.asksForHTTP)
        _ = state.connected(abilities(), at: at(2))
        #expect(state.asksForHTTP)
    }

    @Test("messages and the will have only what the broker takes")
    func adapted() {
        var state = state()
        let message = Publication(topic: "s", payload: [], isRetained: true)
        #expect(state.adapted(message) == message)
        var less = abilities()
        less.retains = false
        less.maximumQuality = .atMostOnce
        _ = state.connected(less, at: at(0))
        #expect(!state.adapted(message).isRetained)
        #expect(state.adapted(message).quality == .atMostOnce)
        for reason in [ReasonCode.retainNotSupported, .qosNotSupported] {
            _ = state.ended(failure(.lost(nil)), at: at(0), random: 0)
            let end = state.ended(failure(.refused(reason)), at: at(0), random: 0)
            #expect(end.isAdapted && end.report == .none)
            let again = state.ended(failure(.refused(reason)), at: at(0), random: 0)
            #expect(!again.isAdapted && again.report != .none)
        }
        let will = state.adapted(Will(topic: "s", payload: []))
        #expect(will?.isRetained == false)
        #expect(will?.quality == .atMostOnce)
        _ = state.connected(abilities(), at: at(0))
        #expect(state.abilities?.retains == false)
    }

    @Test("a refused subscription ends the session unless it is dispensable")
    func subscriptions() {
        var state = state()
        #expect(state.connected(abilities(), at: at(0)) == ["a", "b"])
        #expect(state.answered("b", .notAuthorised) == .subscribe([]))
        #expect(state.answered("other", .notAuthorised) == .subscribe([]))
        #expect(state.answered("a", .notAuthorised) == .refused)
        #expect(state.answered("a", .success) == .complete)
    }

    @Test("the window is the broker's, and at most 20; without a connection it is 0")
    func window() {
        var state = state()
        #expect(state.window == 0)
        _ = state.connected(abilities(receiveMaximum: 10), at: at(0))
        #expect(state.window == 10)
        _ = state.ended(failure(.lost(nil)), at: at(1), random: 0)
        #expect(state.window == 0)
        _ = state.connected(abilities(receiveMaximum: 65_535), at: at(2))
        #expect(state.window == 20)
    }
}

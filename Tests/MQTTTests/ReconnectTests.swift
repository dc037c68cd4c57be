import Posix
import Primitives
import Testing

@testable import MQTT

private let stable = Reconnect.stableTime.microseconds
private let pause = Reconnect.version5Pause.microseconds

private func at(_ microseconds: Int64) -> Instant { Instant(microseconds: microseconds) }

@Suite("Reconnect")
struct ReconnectTests {
    private let lost = ConnectionFailure.Cause.lost(nil)
    private let unsupported = ConnectionFailure.Cause.refused(.unsupportedProtocolVersion)

    @Test("waits double while the broker refuses connections")
    func waits() {
        var reconnect = Reconnect(
            .automatic, backoff: Backoff(base: .microseconds(100), cap: .microseconds(400)))
        let waits = (0..<4).map {
            reconnect.ended(.unreachable(.connectionRefused), at: at($0), random: .max)
        }
        #expect(waits.map(\.microseconds) == [100, 200, 400, 400])
        #expect(reconnect.version == .v5)
    }

    @Test("a stable connection resets the waits, a short one does not")
    func stability() {
        var reconnect = Reconnect(
            .automatic, backoff: Backoff(base: .microseconds(100), cap: .microseconds(400)))
        _ = reconnect.ended(lost, at: at(0), random: .max)
        reconnect.connected(at: at(0))
        #expect(reconnect.ended(lost, at: at(stable - 1), random: .max) == .microseconds(200))
        reconnect.connected(at: at(0))
        #expect(reconnect.ended(lost, at: at(stable), random: .max) == .microseconds(100))
    }

    @Test("a broker that refuses MQTT 5 gets 3.1.1 without a wait")
    func refused() {
        var reconnect = Reconnect(.automatic)
        #expect(reconnect.ended(unsupported, at: at(0), random: .max) == .microseconds(0))
        #expect(reconnect.version == .v311)
    }

    @Test("an answer that is no MQTT 5 causes a fallback, a later protocol error does not")
    func unintelligible() {
        var reconnect = Reconnect(.automatic)
        reconnect.connected(at: at(0))
        _ = reconnect.ended(.protocolViolation, at: at(1), random: 0)
        #expect(reconnect.version == .v5)
        #expect(reconnect.ended(.protocolViolation, at: at(2), random: .max) == .microseconds(0))
        #expect(reconnect.version == .v311)
        _ = reconnect.ended(.protocolViolation, at: at(3), random: 0)
        #expect(reconnect.version == .v5)
    }

    @Test("two unanswered connections in a row cause a fallback")
    func unanswered() {
        var reconnect = Reconnect(.automatic)
        _ = reconnect.ended(.closedUnanswered, at: at(0), random: 0)
        _ = reconnect.ended(.unreachable(.connectionRefused), at: at(1), random: 0)
        _ = reconnect.ended(.closedUnanswered, at: at(2), random: 0)
        #expect(reconnect.version == .v5)
        _ = reconnect.ended(.closedUnanswered, at: at(3), random: 0)
        #expect(reconnect.version == .v311)
    }

    @Test("a connection between two unanswered attempts keeps version 5")
    func connectionBetween() {
        var reconnect = Reconnect(.automatic)
        _ = reconnect.ended(.closedUnanswered, at: at(0), random: 0)
        reconnect.connected(at: at(1))
        _ = reconnect.ended(lost, at: at(2), random: 0)
        _ = reconnect.ended(.closedUnanswered, at: at(3), random: 0)
        #expect(reconnect.version == .v5)
    }

    @Test("version 5 is tried again if the broker refuses 3.1.1 too")
    func noHelp() {
        var reconnect = Reconnect(.automatic)
        for _ in 0..<2 { _ = reconnect.ended(.closedUnanswered, at: at(0), random: 0) }
        _ = reconnect.ended(.unreachable(.connectionRefused), at: at(1), random: 0)
        #expect(reconnect.version == .v311, "an unreachable broker does not change the version")
        _ = reconnect.ended(.closedUnanswered, at: at(2), random: 0)
        #expect(reconnect.version == .v5)
    }

    @Test("alternating refusals have waits between them")
    func pingPong() {
        var reconnect = Reconnect(
            .automatic, backoff: Backoff(base: .microseconds(100), cap: .microseconds(400)))
        let waits = (0..<6).map { _ in reconnect.ended(unsupported, at: at(0), random: .max) }
        #expect(waits.map(\.microseconds) == [0, 100, 0, 200, 0, 400])
    }

    @Test("version 5 is tried again after an hour with 3.1.1")
    func again() {
        var reconnect = Reconnect(.automatic)
        _ = reconnect.ended(unsupported, at: at(0), random: 0)
        reconnect.connected(at: at(1))
        _ = reconnect.ended(lost, at: at(pause - 1), random: 0)
        #expect(reconnect.version == .v311)
        reconnect.connected(at: at(pause - 1))
        _ = reconnect.ended(lost, at: at(pause), random: 0)
        #expect(reconnect.version == .v5)
    }

    @Test("a configured version never changes", arguments: [ProtocolVersion.v5, .v311])
    func fixed(version: ProtocolVersion) {
        var reconnect = Reconnect(.fixed(version))
        for _ in 0..<3 { _ = reconnect.ended(unsupported, at: at(0), random: 0) }
        for _ in 0..<3 { _ = reconnect.ended(.closedUnanswered, at: at(0), random: 0) }
        #expect(reconnect.version == version)
    }
}

@Suite("Reconnect, with several brokers")
struct ReconnectingToSeveralTests {
    private let away = ConnectionFailure.Cause.unreachable(.connectionRefused)
    private let lost = ConnectionFailure.Cause.lost(nil)
    private let unsupported = ConnectionFailure.Cause.refused(.unsupportedProtocolVersion)

    private func reconnect() -> Reconnect {
        Reconnect(
            .automatic, alternatives: [.fixed(.v311), .automatic],
            backoff: Backoff(base: .microseconds(100), cap: .microseconds(400)),
            takeoverPause: .microseconds(1000))
    }

    @Test("a round tries all brokers in order, and the waits are between rounds")
    func rounds() {
        var reconnect = reconnect()
        var tried: [Int] = []
        let waits = (0..<9).map { (time: Int64) in
            tried.append(reconnect.broker)
            return reconnect.ended(away, at: at(time), random: .max)
        }
        #expect(tried == [0, 1, 2, 0, 1, 2, 0, 1, 2])
        #expect(waits.map(\.microseconds) == [0, 0, 100, 0, 0, 200, 0, 0, 400])
    }

    @Test(
        "any failure leads to the next broker",
        arguments: [
            ConnectionFailure.Cause.refused(.notAuthorised), .configuration("no such file"),
            .hostNotFound, .silent, .closedUnanswered, .tls(.notTLS),
        ])
    func anyFailure(cause: ConnectionFailure.Cause) {
        var reconnect = reconnect()
        #expect(reconnect.ended(cause, at: at(0), random: .max) == .microseconds(0))
        #expect(reconnect.broker == 1)
    }

    @Test("after a stable connection, the first broker is tried after the first wait")
    func backToTheFirst() {
        var reconnect = reconnect()
        for time in 0..<4 { _ = reconnect.ended(away, at: at(Int64(time)), random: .max) }
        #expect(reconnect.broker == 1)
        reconnect.connected(at: at(10))
        #expect(reconnect.broker == 1)
        #expect(reconnect.ended(lost, at: at(10 + stable), random: .max) == .microseconds(100))
        #expect(reconnect.broker == 0)
    }

    @Test("a connection that ends early leads to the next broker")
    func flapping() {
        var reconnect = reconnect()
        reconnect.connected(at: at(0))
        #expect(reconnect.ended(lost, at: at(stable - 1), random: .max) == .microseconds(0))
        #expect(reconnect.broker == 1)
    }

    @Test(
        "each broker has its own version, and the other version is tried with the same broker first"
    )
    func versions() {
        var reconnect = reconnect()
        #expect(reconnect.version == .v5)
        #expect(reconnect.ended(unsupported, at: at(0), random: .max) == .microseconds(0))
        #expect(reconnect.broker == 0)
        #expect(reconnect.version == .v311)
        _ = reconnect.ended(away, at: at(1), random: .max)
        #expect(reconnect.version == .v311)
        _ = reconnect.ended(away, at: at(2), random: .max)
        #expect(reconnect.version == .v5)
        _ = reconnect.ended(away, at: at(3), random: .max)
        #expect(reconnect.broker == 0)
        #expect(reconnect.version == .v311, "the version is kept per broker")
    }

    @Test("after a takeover, the wait is the pause, a quarter more or less")
    func takeover() {
        for (random, wait) in [(UInt64.min, Int64(750)), (.max, 1250)] {
            var reconnect = reconnect()
            _ = reconnect.ended(away, at: at(0), random: random)
            reconnect.connected(at: at(1))
            let cause = ConnectionFailure.Cause.takenOver(clientID: "c")
            #expect(reconnect.ended(cause, at: at(2), random: random) == .microseconds(wait))
            #expect(reconnect.broker == 0)
        }
    }
}

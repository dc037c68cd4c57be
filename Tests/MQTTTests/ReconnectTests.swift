import Posix
import Testing

@testable import MQTT

@Suite("Reconnect")
struct ReconnectTests {
    private let lost = ConnectionFailure.Cause.lost(nil)
    private let unsupported = ConnectionFailure.Cause.refused(.unsupportedProtocolVersion)

    @Test("waits longer and longer while the broker does not let us in")
    func waits() {
        var reconnect = Reconnect(.automatic, backoff: Backoff(base: 100, cap: 400))
        let waits = (0..<4).map {
            reconnect.ended(.unreachable(.connectionRefused), at: $0, random: .max)
        }
        #expect(waits == [100, 200, 400, 400])
        #expect(reconnect.version == .v5)
    }

    @Test("begins anew after a connection that stood, not after one that was cut at once")
    func stability() {
        var reconnect = Reconnect(.automatic, backoff: Backoff(base: 100, cap: 400))
        _ = reconnect.ended(lost, at: 0, random: .max)
        reconnect.connected(at: 0)
        #expect(reconnect.ended(lost, at: Reconnect.stableTime - 1, random: .max) == 200)
        reconnect.connected(at: 0)
        #expect(reconnect.ended(lost, at: Reconnect.stableTime, random: .max) == 100)
    }

    @Test("falls back at once when the broker says that it does not speak version 5")
    func refused() {
        var reconnect = Reconnect(.automatic)
        #expect(reconnect.ended(unsupported, at: 0, random: .max) == 0)
        #expect(reconnect.version == .v311)
    }

    @Test("falls back at once when the answer is no MQTT 5, but not when a connection ends so")
    func unintelligible() {
        var reconnect = Reconnect(.automatic)
        reconnect.connected(at: 0)
        _ = reconnect.ended(.protocolViolation, at: 1, random: 0)
        #expect(reconnect.version == .v5)
        #expect(reconnect.ended(.protocolViolation, at: 2, random: .max) == 0)
        #expect(reconnect.version == .v311)
        _ = reconnect.ended(.protocolViolation, at: 3, random: 0)
        #expect(reconnect.version == .v5)
    }

    @Test("falls back when two connections running were closed unanswered")
    func unanswered() {
        var reconnect = Reconnect(.automatic)
        _ = reconnect.ended(.closedUnanswered, at: 0, random: 0)
        _ = reconnect.ended(.unreachable(.connectionRefused), at: 1, random: 0)
        _ = reconnect.ended(.closedUnanswered, at: 2, random: 0)
        #expect(reconnect.version == .v5)
        _ = reconnect.ended(.closedUnanswered, at: 3, random: 0)
        #expect(reconnect.version == .v311)
    }

    @Test("a connection between two unanswered ones counts for version 5")
    func connectionBetween() {
        var reconnect = Reconnect(.automatic)
        _ = reconnect.ended(.closedUnanswered, at: 0, random: 0)
        reconnect.connected(at: 1)
        _ = reconnect.ended(lost, at: 2, random: 0)
        _ = reconnect.ended(.closedUnanswered, at: 3, random: 0)
        #expect(reconnect.version == .v5)
    }

    @Test("tries version 5 again when 3.1.1 does not help either")
    func noHelp() {
        var reconnect = Reconnect(.automatic)
        for _ in 0..<2 { _ = reconnect.ended(.closedUnanswered, at: 0, random: 0) }
        _ = reconnect.ended(.unreachable(.connectionRefused), at: 1, random: 0)
        #expect(reconnect.version == .v311, "a broker that is away says nothing of versions")
        _ = reconnect.ended(.closedUnanswered, at: 2, random: 0)
        #expect(reconnect.version == .v5)
    }

    @Test("two refusals in turn don't make a busy loop")
    func pingPong() {
        var reconnect = Reconnect(.automatic, backoff: Backoff(base: 100, cap: 400))
        let waits = (0..<6).map { _ in reconnect.ended(unsupported, at: 0, random: .max) }
        #expect(waits == [0, 100, 0, 200, 0, 400])
    }

    @Test("stays with 3.1.1 for a while, and tries version 5 at the first end after that")
    func again() {
        var reconnect = Reconnect(.automatic)
        _ = reconnect.ended(unsupported, at: 0, random: 0)
        reconnect.connected(at: 1)
        _ = reconnect.ended(lost, at: Reconnect.version5Pause - 1, random: 0)
        #expect(reconnect.version == .v311)
        reconnect.connected(at: Reconnect.version5Pause - 1)
        _ = reconnect.ended(lost, at: Reconnect.version5Pause, random: 0)
        #expect(reconnect.version == .v5)
    }

    @Test("a version that was asked for stays", arguments: [ProtocolVersion.v5, .v311])
    func fixed(version: ProtocolVersion) {
        var reconnect = Reconnect(.fixed(version))
        for _ in 0..<3 { _ = reconnect.ended(unsupported, at: 0, random: 0) }
        for _ in 0..<3 { _ = reconnect.ended(.closedUnanswered, at: 0, random: 0) }
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
            backoff: Backoff(base: 100, cap: 400), takeoverPause: 1000)
    }

    @Test("a round goes through all in order without a pause, and the waits are between rounds")
    func rounds() {
        var reconnect = reconnect()
        var tried: [Int] = []
        let waits = (0..<9).map { (time: Int64) in
            tried.append(reconnect.broker)
            return reconnect.ended(away, at: time, random: .max)
        }
        #expect(tried == [0, 1, 2, 0, 1, 2, 0, 1, 2])
        #expect(waits == [0, 0, 100, 0, 0, 200, 0, 0, 400])
    }

    @Test(
        "whatever keeps a broker from letting us in, the next one is tried",
        arguments: [
            ConnectionFailure.Cause.refused(.notAuthorised), .configuration("no such file"),
            .hostNotFound, .silent, .closedUnanswered, .tls(.notTLS),
        ])
    func anyFailure(cause: ConnectionFailure.Cause) {
        var reconnect = reconnect()
        #expect(reconnect.ended(cause, at: 0, random: .max) == 0)
        #expect(reconnect.broker == 1)
    }

    @Test("after a connection that stood, the first is tried again, after the first wait")
    func backToTheFirst() {
        var reconnect = reconnect()
        for time in 0..<4 { _ = reconnect.ended(away, at: Int64(time), random: .max) }
        #expect(reconnect.broker == 1)
        reconnect.connected(at: 10)
        #expect(reconnect.broker == 1)
        #expect(reconnect.ended(lost, at: 10 + Reconnect.stableTime, random: .max) == 100)
        #expect(reconnect.broker == 0)
    }

    @Test("a broker that lets us in and throws us out at once does not keep us from the next")
    func flapping() {
        var reconnect = reconnect()
        reconnect.connected(at: 0)
        #expect(reconnect.ended(lost, at: Reconnect.stableTime - 1, random: .max) == 0)
        #expect(reconnect.broker == 1)
    }

    @Test("each broker has its version, and another one is tried with the same broker first")
    func versions() {
        var reconnect = reconnect()
        #expect(reconnect.version == .v5)
        #expect(reconnect.ended(unsupported, at: 0, random: .max) == 0)
        #expect(reconnect.broker == 0)
        #expect(reconnect.version == .v311)
        _ = reconnect.ended(away, at: 1, random: .max)
        #expect(reconnect.version == .v311)
        _ = reconnect.ended(away, at: 2, random: .max)
        #expect(reconnect.version == .v5)
        _ = reconnect.ended(away, at: 3, random: .max)
        #expect(reconnect.broker == 0)
        #expect(reconnect.version == .v311, "what was found out is not forgotten")
    }

    @Test("who was thrown out by another of the same name stays away, a quarter more or less")
    func takeover() {
        for (random, wait) in [(UInt64.min, Int64(750)), (.max, 1250)] {
            var reconnect = reconnect()
            _ = reconnect.ended(away, at: 0, random: random)
            reconnect.connected(at: 1)
            let cause = ConnectionFailure.Cause.takenOver(clientID: "c")
            #expect(reconnect.ended(cause, at: 2, random: random) == wait)
            #expect(reconnect.broker == 0)
        }
    }
}

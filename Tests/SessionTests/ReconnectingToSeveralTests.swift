import MQTT
import Posix
import Primitives
import Testing

@testable import Session

private let stable = Reconnect.stableTime.microseconds

private func at(_ microseconds: Int64) -> Instant { Instant(microseconds: microseconds) }

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

    private let taken = ConnectionFailure.Cause.takenOver(clientID: "c")

    @Test("after a takeover, only the broker concerned rests")
    func othersGoOn() {
        var reconnect = reconnect()
        reconnect.connected(at: at(0))
        #expect(reconnect.ended(taken, at: at(0), random: .max) == .zero)
        #expect(reconnect.broker == 1)
        // The rest of the first broker is at most 1250 microseconds.
        var tried: [Int] = []
        for time in stride(from: 0, to: 1250, by: 50) as StrideTo<Int64> {
            _ = reconnect.ended(away, at: at(time), random: .max)
            tried.append(reconnect.broker)
        }
        #expect(tried.prefix(10).allSatisfy { $0 != 0 })
        #expect(Set(tried.prefix(10)) == [1, 2])
        _ = reconnect.ended(away, at: at(1300), random: .max)
        _ = reconnect.ended(away, at: at(1300), random: .max)
        _ = reconnect.ended(away, at: at(1300), random: .max)
        #expect(reconnect.broker == 0 || tried.contains(0))
    }
}

@Suite("Reconnect, after takeovers")
struct TakeoverPauseTests {
    private let taken = ConnectionFailure.Cause.takenOver(clientID: "c")

    @Test("the pause starts at 10 s and doubles to 5 minutes, a quarter more or less")
    func doubling() {
        for (random, part) in [(UInt64.min, 0.75), (.max, 1.25)] {
            var reconnect = Reconnect(.automatic)
            var now: Int64 = 0
            let pauses = (0..<7).map { _ in
                reconnect.connected(at: at(now))
                now += 1_000_000
                let pause = reconnect.ended(taken, at: at(now), random: random).microseconds
                now += pause
                return Double(pause) / 1_000_000
            }
            #expect(pauses == [10, 20, 40, 80, 160, 300, 300].map { $0 * part })
        }
    }

    @Test("after a long connection, the pause starts at 10 s again")
    func again() {
        var reconnect = Reconnect(.automatic)
        for _ in 0..<3 { _ = reconnect.ended(taken, at: at(0), random: .max) }
        reconnect.connected(at: at(0))
        let pause = reconnect.ended(taken, at: at(900_000_000), random: .min)
        #expect(pause == .milliseconds(7500))
    }
}

import MQTT
import Posix
import Primitives
import Testing

@testable import Session

private let stable = Reconnect.stableTime.microseconds

private func at(_ microseconds: Int64) -> Instant { Instant(microseconds: microseconds) }

private let unansweredCauses: [ConnectionFailure.Cause] = [.closedUnanswered, .connectUnanswered]

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

    @Test("the second unanswered CONNECT in a row causes a fallback", arguments: unansweredCauses)
    func unanswered(cause: ConnectionFailure.Cause) {
        var reconnect = Reconnect(.automatic)
        #expect(reconnect.ended(cause, at: at(0), random: .max) > .zero)
        #expect(reconnect.version == .v5)
        #expect(reconnect.ended(cause, at: at(1), random: .max) == .zero)
        #expect(reconnect.version == .v311)
    }

    @Test("silence before the TCP connection is no reason for another version")
    func unreachable() {
        var reconnect = Reconnect(.automatic)
        for _ in 0..<5 { _ = reconnect.ended(.silent, at: at(0), random: 0) }
        #expect(reconnect.version == .v5)
        #expect(reconnect.doubt == nil)
    }

    @Test("a program that a person waits for tries both versions in turn")
    func impatient() {
        var reconnect = Reconnect(.automatic, patience: 1)
        let versions = (0..<4 as Range<Int64>).map { second in
            _ = reconnect.ended(.closedUnanswered, at: at(second * 1_000_000), random: 0)
            return reconnect.version
        }
        #expect(versions == [.v311, .v5, .v311, .v5])
    }

    @Test("a broker that answers no version gets 3.1.1 only directly after version 5")
    func outage() {
        var reconnect = Reconnect(.automatic)
        let afterWaits = (0..<30).compactMap { _ in
            reconnect.ended(.closedUnanswered, at: at(0), random: .max) > .zero
                ? reconnect.version : nil
        }
        #expect(afterWaits.count == 20)
        #expect(afterWaits.allSatisfy { $0 == .v5 })
    }

    @Test("another failure between two unanswered CONNECTs prevents a fallback")
    func interrupted() {
        var reconnect = Reconnect(.automatic)
        _ = reconnect.ended(.closedUnanswered, at: at(0), random: 0)
        _ = reconnect.ended(.unreachable(.connectionRefused), at: at(1), random: 0)
        _ = reconnect.ended(.closedUnanswered, at: at(2), random: 0)
        #expect(reconnect.version == .v5)
    }

    @Test("CONNECTs without a will follow both versions, and a success counts for a day")
    func withoutWill() {
        var reconnect = Reconnect(.automatic, hasWill: true)
        var forms: [(ProtocolVersion, Bool)] = []
        for _ in 0..<6 {
            forms.append((reconnect.version, reconnect.hasWill))
            _ = reconnect.ended(.closedUnanswered, at: at(0), random: .max)
        }
        #expect(forms.map(\.0) == [.v5, .v5, .v311, .v5, .v311, .v5])
        #expect(forms.map(\.1) == [true, true, true, false, false, true])
        for _ in 0..<3 { _ = reconnect.ended(.closedUnanswered, at: at(0), random: .max) }
        #expect(!reconnect.hasWill)
        reconnect.connected(at: at(0))
        _ = reconnect.ended(lost, at: at(day - 1), random: 0)
        #expect(!reconnect.hasWill)
        _ = reconnect.ended(lost, at: at(day), random: 0)
        #expect(reconnect.hasWill)
    }

    @Test("a silent broker gets no CONNECT without a will")
    func silentAboutWill() {
        var reconnect = Reconnect(.fixed(.v5), hasWill: true)
        for _ in 0..<9 {
            _ = reconnect.ended(.connectUnanswered, at: at(0), random: 0)
            #expect(reconnect.hasWill)
        }
    }

    private let day: Int64 = 86_400_000_000

    @Test("a broker that accepted 3.1.1 gets it for a day", arguments: unansweredCauses)
    func remembered(cause: ConnectionFailure.Cause) {
        var reconnect = Reconnect(.automatic)
        for _ in 0..<2 { _ = reconnect.ended(cause, at: at(0), random: 0) }
        reconnect.connected(at: at(0))
        _ = reconnect.ended(lost, at: at(1), random: 0)
        #expect(reconnect.version == .v311)
        _ = reconnect.ended(.unreachable(.connectionRefused), at: at(2), random: 0)
        reconnect.connected(at: at(day - 1))
        _ = reconnect.ended(lost, at: at(day - 1), random: 0)
        #expect(reconnect.version == .v311)
        reconnect.connected(at: at(day - 1))
        _ = reconnect.ended(lost, at: at(day), random: 0)
        #expect(reconnect.version == .v5)
    }

    @Test("a refusal of version 5 counts for a day, also before a connection")
    func rememberedRefusal() {
        var reconnect = Reconnect(.automatic)
        _ = reconnect.ended(unsupported, at: at(0), random: 0)
        _ = reconnect.ended(.unreachable(.connectionRefused), at: at(day - 1), random: 0)
        #expect(reconnect.version == .v311)
        _ = reconnect.ended(.unreachable(.connectionRefused), at: at(day), random: 0)
        #expect(reconnect.version == .v5)
    }

    @Test("a broker that accepted version 5 gets it at the next connection after an outage")
    func rememberedCurrent() {
        var reconnect = Reconnect(.automatic)
        reconnect.connected(at: at(0))
        _ = reconnect.ended(lost, at: at(1), random: 0)
        for _ in 0..<2 { _ = reconnect.ended(.closedUnanswered, at: at(2), random: 0) }
        #expect(reconnect.version == .v311)
        reconnect.connected(at: at(3))
        _ = reconnect.ended(lost, at: at(4), random: 0)
        #expect(reconnect.version == .v5)
    }

    @Test("attempts with version 5 have a short limit until the broker's version is known")
    func answerLimit() throws {
        var reconnect = Reconnect(.automatic)
        #expect(try #require(reconnect.answerLimit(at: at(0))) <= .seconds(5))
        for _ in 0..<2 { _ = reconnect.ended(.connectUnanswered, at: at(0), random: 0) }
        #expect(reconnect.answerLimit(at: at(0)) == nil)
        var known = Reconnect(.automatic)
        known.connected(at: at(0))
        _ = known.ended(lost, at: at(1), random: 0)
        #expect(known.answerLimit(at: at(1)) == nil)
        #expect(Reconnect(.fixed(.v5)).answerLimit(at: at(0)) == nil)
    }

    @Test("failures are steps of the negotiation until both versions have failed")
    func doubts() {
        var reconnect = Reconnect(.automatic)
        let doubts = (0..<6).map { _ in
            _ = reconnect.ended(.closedUnanswered, at: at(0), random: 0)
            return reconnect.doubt
        }
        #expect(doubts == [.closed, .closed, nil, nil, nil, nil])
    }

    @Test("version 5 is tried again if the broker refuses 3.1.1 too")
    func noHelp() {
        var reconnect = Reconnect(.automatic)
        _ = reconnect.ended(unsupported, at: at(0), random: 0)
        #expect(reconnect.version == .v311)
        for _ in 0..<2 { _ = reconnect.ended(.closedUnanswered, at: at(2), random: 0) }
        #expect(reconnect.version == .v5)
    }

    @Test("alternating refusals have waits between them")
    func pingPong() {
        var reconnect = Reconnect(
            .automatic, backoff: Backoff(base: .microseconds(100), cap: .microseconds(400)))
        let waits = (0..<6).map { _ in reconnect.ended(unsupported, at: at(0), random: .max) }
        #expect(waits.map(\.microseconds) == [0, 100, 0, 200, 0, 400])
    }

    @Test("a configured version never changes", arguments: [ProtocolVersion.v5, .v311])
    func fixed(version: ProtocolVersion) {
        var reconnect = Reconnect(.fixed(version))
        for _ in 0..<3 { _ = reconnect.ended(unsupported, at: at(0), random: 0) }
        for _ in 0..<3 { _ = reconnect.ended(.closedUnanswered, at: at(0), random: 0) }
        #expect(reconnect.version == version)
    }
}

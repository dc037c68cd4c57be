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

import Contract
import Primitives
import Sightings
import Testing

@testable import Agent

@Suite("DuplicateClientDetector")
struct DuplicateClientDetectorTests {
    private let begin = Instant(microseconds: 0)

    /// The begin of the own session.
    private let began: UnixTime = 90_000

    private func detector() -> DuplicateClientDetector {
        DuplicateClientDetector(session: "own", began: began, memory: .seconds(900))
    }

    /// A detector after a connection, with its status acknowledged at this time.
    private func known(at time: UnixTime = 100_000) -> DuplicateClientDetector {
        var detector = detector()
        detector.connected(at: begin, time: nil)
        detector.acknowledged(at: time)
        return detector
    }

    private func status(
        of session: String, _ state: StatusMessage.State = .offline, at time: UnixTime = 200_000,
        clock: ClockState = .synced
    ) -> StatusMessage {
        StatusMessage(state: state, session: session, at: time, version: "0", clock: clock)
    }

    @Test("a status from before the first acknowledgement is no duplicate, even if it arrives late")
    func past() {
        var detector = detector()
        detector.connected(at: begin, time: nil)
        let old = status(of: "earlier", .online, at: 200_000)
        #expect(detector.on(old, isRetained: true) == false)
        detector.acknowledged(at: 200_100)
        // A retained message that the broker delivers late.
        #expect(detector.on(status(of: "first", at: 150_000), isRetained: true) == false)
        // The time of a will is the begin of its connection.
        #expect(detector.on(status(of: "earlier", at: 199_000), isRetained: false) == false)
        #expect(detector.connectionLost(at: begin.advanced(byMicroseconds: 1)) == false)
        detector.connected(at: begin, time: nil)
        #expect(detector.on(old, isRetained: true) == false)
    }

    @Test("the own status is no duplicate")
    func own() {
        var detector = known()
        #expect(detector.on(status(of: "own"), isRetained: false) == false)
        detector.connected(at: begin, time: nil)
        #expect(detector.on(status(of: "own"), isRetained: true) == false)
        #expect(detector.connectionLost(at: begin) == false)
    }

    @Test("a newer status of another session is a duplicate, and explains the next connection loss")
    func rival() {
        var detector = known()
        #expect(detector.connectionLost(at: begin) == false)
        detector.connected(at: begin, time: nil)
        #expect(detector.on(status(of: "other"), isRetained: true) == true)
        #expect(detector.connectionLost(at: begin.advanced(byMicroseconds: 899_999_999)) == true)
        // No new status: the duplicate has not connected since then.
        detector.connected(at: begin, time: nil)
        #expect(detector.on(status(of: "other"), isRetained: true) == false)
        #expect(detector.connectionLost(at: begin) == false)
        detector.connected(at: begin, time: nil)
        #expect(detector.on(status(of: "other", at: 200_001), isRetained: true) == true)
        #expect(
            detector.connectionLost(at: begin.advanced(byMicroseconds: 900_000_000)) == false,
            "long ago")
    }

    @Test("the later agent accepts the first retained will, and detects the next one")
    func laterOne() {
        var detector = detector()
        detector.connected(at: begin, time: nil)
        #expect(detector.on(status(of: "first", at: 100_000), isRetained: true) == false)
        detector.acknowledged(at: 150_000)
        #expect(detector.connectionLost(at: begin) == false)
        detector.connected(at: begin, time: nil)
        // The will of a later connection.
        #expect(detector.on(status(of: "first", at: 151_000), isRetained: true) == true)
        #expect(detector.connectionLost(at: begin) == true)
    }

    @Test(
        "a status from after the first connection is a duplicate, even without an acknowledgement")
    func neverAcknowledged() {
        var detector = detector()
        detector.connected(at: begin, time: 100_000)
        #expect(detector.on(status(of: "earlier", at: 100_000), isRetained: true) == false)
        #expect(detector.connectionLost(at: begin) == false)
        detector.connected(at: begin, time: 300_000)
        #expect(detector.on(status(of: "other", at: 100_001), isRetained: true) == true)
        #expect(detector.connectionLost(at: begin) == true)
    }

    @Test("a session that is online in parallel is a duplicate, but explains no connection loss")
    func besides() {
        var detector = known()
        #expect(detector.on(status(of: "other", .online), isRetained: false) == true)
        #expect(detector.connectionLost(at: begin) == false)
    }

    @Test("a session that was online in parallel explains no loss after its farewell or will")
    func farewellBesides() {
        var detector = known()
        #expect(detector.on(status(of: "other", .online, at: 200_000), isRetained: false) == true)
        #expect(detector.on(status(of: "other", at: 250_000), isRetained: false) == true)
        #expect(detector.connectionLost(at: begin) == false)
    }

    @Test("a rival's farewell after it took over explains no later loss; its will does")
    func farewellOfRival() {
        for (offline, isRival) in [(305_001, false), (305_000, true)] as [(UnixTime, Bool)] {
            var detector = known()
            // The rival connects at 300 s and takes over. Two clocks differ by 5 s at most.
            #expect(detector.connectionLost(at: begin, time: 300_000) == false)
            detector.connected(at: begin, time: 400_000)
            _ = detector.on(status(of: "other", at: offline), isRetained: true)
            #expect(detector.connectionLost(at: begin, time: 500_000) == isRival)
        }
    }

    @Test("an old retained status is no duplicate, but a later one of an unsynchronised clock is")
    func history() {
        var detector = known(at: 1_000_000)
        detector.connected(at: begin, time: nil)
        #expect(detector.on(status(of: "old", at: 939_999), isRetained: true) == false)
        #expect(detector.on(status(of: "recent", at: 940_000), isRetained: true) == true)
        #expect(
            detector.on(status(of: "unset", at: 7, clock: .unsynced), isRetained: true) == false)
        #expect(detector.on(status(of: "unset", at: 8, clock: .unsynced), isRetained: true) == true)
    }

    @Test("a delayed status of an earlier run is no duplicate; a newer one is")
    func ghost() {
        var detector = known()
        #expect(detector.connectionLost(at: begin) == false)
        detector.connected(at: begin, time: nil)
        let ghost = status(of: "killed", at: began - .milliseconds(1), clock: .unsynced)
        #expect(detector.on(ghost, isRetained: true) == false)
        #expect(detector.connectionLost(at: begin) == false)
        detector.connected(at: begin, time: nil)
        #expect(detector.on(ghost, isRetained: true) == false)
        let again = status(of: "killed", at: began, clock: .unsynced)
        #expect(detector.on(again, isRetained: true) == true)
        #expect(detector.connectionLost(at: begin) == true)
    }

    @Test("the number of remembered sessions has a bound")
    func bound() {
        var detector = known()
        detector.connected(at: begin, time: nil)
        for number in 0..<1000 {
            let status = status(of: "\(number)", at: UnixTime.max - .seconds(1))
            #expect(detector.on(status, isRetained: true) == true)
        }
        #expect(detector.rememberedSessions <= 16)
    }
}

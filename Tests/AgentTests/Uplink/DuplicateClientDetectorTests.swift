import Contract
import Primitives
import Sightings
import Testing

@testable import Agent

@Suite("DuplicateClientDetector")
struct DuplicateClientDetectorTests {
    private let begin = Instant(microseconds: 0)

    /// When our session began.
    private let began: Int64 = 90_000

    private func detector() -> DuplicateClientDetector {
        DuplicateClientDetector(session: "own", began: began, memory: .seconds(900))
    }

    /// One that has been connected, and whose status was taken at this time.
    private func known(at time: Int64 = 100_000) -> DuplicateClientDetector {
        var detector = detector()
        detector.connected(at: begin, time: nil)
        detector.acknowledged(at: time)
        return detector
    }

    private func status(
        of session: String, _ state: StatusMessage.State = .offline, at time: Int64 = 200_000,
        clock: ClockState = .synced
    ) -> StatusMessage {
        StatusMessage(state: state, session: session, at: time, version: "0", clock: clock)
    }

    @Test("what stands there before we were ever taken is our past, and so is what it says late")
    func past() {
        var detector = detector()
        detector.connected(at: begin, time: nil)
        let old = status(of: "earlier", .online, at: 200_000)
        #expect(detector.on(old, isRetained: true) == false)
        detector.acknowledged(at: 200_100)
        // A retained message that the broker was slow to deliver.
        #expect(detector.on(status(of: "first", at: 150_000), isRetained: true) == false)
        // A will is as old as its connection's beginning.
        #expect(detector.on(status(of: "earlier", at: 199_000), isRetained: false) == false)
        #expect(detector.connectionLost(at: begin.advanced(byMicroseconds: 1)) == false)
        detector.connected(at: begin, time: nil)
        #expect(detector.on(old, isRetained: true) == false)
    }

    @Test("our own words are nobody else's")
    func own() {
        var detector = known()
        #expect(detector.on(status(of: "own"), isRetained: false) == false)
        detector.connected(at: begin, time: nil)
        #expect(detector.on(status(of: "own"), isRetained: true) == false)
        #expect(detector.connectionLost(at: begin) == false)
    }

    @Test("who has written where we had written was in our place, and cuts us off again")
    func rival() {
        var detector = known()
        #expect(detector.connectionLost(at: begin) == false)
        detector.connected(at: begin, time: nil)
        #expect(detector.on(status(of: "other"), isRetained: true) == true)
        #expect(detector.connectionLost(at: begin.advanced(byMicroseconds: 899_999_999)) == true)
        // Nothing new: the rival has not been there meanwhile.
        detector.connected(at: begin, time: nil)
        #expect(detector.on(status(of: "other"), isRetained: true) == false)
        #expect(detector.connectionLost(at: begin) == false)
        detector.connected(at: begin, time: nil)
        #expect(detector.on(status(of: "other", at: 200_001), isRetained: true) == true)
        #expect(
            detector.connectionLost(at: begin.advanced(byMicroseconds: 900_000_000)) == false,
            "long ago")
    }

    @Test("the one who came later finds the first one's will, and recognises the next one")
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

    @Test("who writes after we came is a rival, though we were never acknowledged")
    func neverAcknowledged() {
        var detector = detector()
        detector.connected(at: begin, time: 100_000)
        #expect(detector.on(status(of: "earlier", at: 100_000), isRetained: true) == false)
        #expect(detector.connectionLost(at: begin) == false)
        detector.connected(at: begin, time: 300_000)
        #expect(detector.on(status(of: "other", at: 100_001), isRetained: true) == true)
        #expect(detector.connectionLost(at: begin) == true)
    }

    @Test("who is online beside us has our name, but not our place")
    func besides() {
        var detector = known()
        #expect(detector.on(status(of: "other", .online), isRetained: false) == true)
        #expect(detector.connectionLost(at: begin) == false)
    }

    @Test("what a broker remembers of long ago is no rival, unless nobody knows when it was")
    func history() {
        var detector = known(at: 1_000_000)
        detector.connected(at: begin, time: nil)
        #expect(detector.on(status(of: "old", at: 939_999), isRetained: true) == false)
        #expect(detector.on(status(of: "recent", at: 940_000), isRetained: true) == true)
        #expect(
            detector.on(status(of: "unset", at: 7, clock: .unsynced), isRetained: true) == false)
        #expect(detector.on(status(of: "unset", at: 8, clock: .unsynced), isRetained: true) == true)
    }

    @Test("what a run before us sent, and the network held back, is no rival; who comes again is")
    func ghost() {
        var detector = known()
        #expect(detector.connectionLost(at: begin) == false)
        detector.connected(at: begin, time: nil)
        let ghost = status(of: "killed", at: began - 1, clock: .unsynced)
        #expect(detector.on(ghost, isRetained: true) == false)
        #expect(detector.connectionLost(at: begin) == false)
        detector.connected(at: begin, time: nil)
        #expect(detector.on(ghost, isRetained: true) == false)
        let again = status(of: "killed", at: began, clock: .unsynced)
        #expect(detector.on(again, isRetained: true) == true)
        #expect(detector.connectionLost(at: begin) == true)
    }

    @Test("what is remembered has a bound")
    func bound() {
        var detector = known()
        detector.connected(at: begin, time: nil)
        for number in 0..<1000 {
            let status = status(of: "\(number)", at: Int64.max - 1000)
            #expect(detector.on(status, isRetained: true) == true)
        }
        #expect(detector.rememberedSessions <= 16)
    }
}

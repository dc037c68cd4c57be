import Testing

@testable import Queueing

@Suite("a tag at present")
struct TrackViewTests {
    /// A tag that joins, stays for some seconds, and then leaves if `leave` is positive.
    private static func decoder(leave: Double) -> LineDecoder {
        var decoder = LineDecoder()
        _ = decoder.on(LineScores(join: 3, leave: -9, stay: 0), at: EdgeDate(0))
        for second in 1..<60 as Range<UnixSecond> {
            _ = decoder.on(LineScores(join: -9, leave: -9, stay: 0.1), at: EdgeDate(second))
        }
        _ = decoder.on(LineScores(join: -9, leave: leave, stay: -0.1), at: EdgeDate(60))
        return decoder
    }

    private static func view(_ probability: Double, leave: Double) -> TrackView {
        TrackView(probability: probability, decoder: decoder(leave: leave), second: 60)
    }

    @Test("a tag that is no more in line, and that no second shows leaving, was a passer-by's")
    func passerBy() {
        let view = Self.view(0.1, leave: -20)
        #expect(view.inLine == nil)
        #expect(view.left.isEmpty)
    }

    @Test("a visitor who leaves counts until the second of leaving, whatever the decoder prefers")
    func leaver() throws {
        // The decoder still prefers the line: leaving has 1.2 of its 8.8 nats.
        let view = Self.view(0.1, leave: -7.6)
        #expect(view.inLine == nil)
        let stay = try #require(view.left.first)
        #expect(view.left.count == 1)
        #expect(stay.entered.second == 0 && stay.left.second == 60)
    }

    @Test("a tag in line has no stay that is over")
    func inLine() throws {
        let view = Self.view(0.9, leave: -7.6)
        let stay = try #require(view.inLine)
        #expect(stay.entered.second == 0 && stay.left == .never)
        #expect(view.left.isEmpty)
    }

    @Test("a fault makes doubtful only the tags that were there before its end, or soon after it")
    func doubt() {
        for (came, now, expected) in [
            (90, 400, true), (110, 400, false), (110, 200, true), (90, 1200, false),
        ] as [(UnixSecond, UnixSecond, Bool)] {
            var view = LineView(second: now, unseen: 60..<100)
            view.add(
                Tag(rawValue: 1),
                TrackView(probability: 0.3, decoder: LineDecoder(), came: came, second: now))
            #expect(view.isDoubtful(served: [], tills: 1) == expected, "\(came), \(now)")
        }
    }
}

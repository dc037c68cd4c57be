import Primitives
import Testing

@testable import Server

@Suite("publication of results")
struct ResultPublisherTests {
    private let start = Instant(microseconds: 0)

    private func at(_ milliseconds: Int64) -> Instant {
        start.advanced(byMilliseconds: milliseconds)
    }

    @Test("a change is published at once, but at most once a second")
    func changes() {
        var publisher = ResultPublisher<Int>(rev: 0)
        let result1 = publisher.on(1, at: at(0))
        #expect(result1)
        let result2 = publisher.on(2, at: at(999))
        #expect(!result2)
        let result3 = publisher.on(3, at: at(1000))
        #expect(result3)
        #expect(publisher.rev == 2)
    }

    @Test("an unchanged result is published again after 30 s, with the same rev")
    func repetition() {
        var publisher = ResultPublisher<Int>(rev: 7)
        let result4 = publisher.on(1, at: at(0))
        #expect(result4)
        let result5 = publisher.on(1, at: at(29_999))
        #expect(!result5)
        let result6 = publisher.on(1, at: at(30_000))
        #expect(result6)
        #expect(publisher.rev == 8)
    }

    @Test("rev rises with each publication of other contents, also over a restart")
    func restart() {
        // One publication a second cannot overtake a start time in seconds.
        var first = ResultPublisher<Int>(rev: 1_795_000_000)
        for second in 0..<60 { _ = first.on(second, at: at(Int64(second) * 1000)) }
        #expect(first.rev == 1_795_000_060)
        var second = ResultPublisher<Int>(rev: 1_795_000_060)
        let result7 = second.on(60, at: at(60_000))
        #expect(result7)
        #expect(second.rev > first.rev)
    }

    @Test("a new connection makes the result due after a second, with the same rev")
    func connection() {
        var publisher = ResultPublisher<Int>(rev: 0)
        let isFirst = publisher.on(1, at: at(0))
        #expect(isFirst)
        // The publication has waited for the connection.
        publisher.onConnection(at: at(900))
        let isSoon = publisher.on(2, at: at(1024))
        #expect(!isSoon)
        let isRepeated = publisher.on(1, at: at(1900))
        #expect(isRepeated)
        #expect(publisher.rev == 1)
        let isOften = publisher.on(1, at: at(2900))
        #expect(!isOften)
    }

    @Test("a connection before the first result delays nothing")
    func earlyConnection() {
        var publisher = ResultPublisher<Int>(rev: 0)
        publisher.onConnection(at: at(900))
        let isFirst = publisher.on(1, at: at(1000))
        #expect(isFirst)
    }
}

import Facts
import Primitives
import Testing

@Suite("the final fold of a site, and its copies")
struct SiteFoldsTests {
    /// A measurement whose results are the seconds.
    private struct Seconds: SecondFold {
        var seconds = SiteSeconds([Watermark()])

        mutating func on(
            _ states: [GatewaySecond], at second: UnixSecond, _ context: Void
        ) -> [UnixSecond] { [second] }

        mutating func skip(
            _ span: Range<UnixSecond>, _ states: [GatewaySecond]
        ) -> [UnixSecond] { [] }

        func decided() -> (UnixSecond) -> Bool {
            { [next = seconds.next] second in next.map { second < $0 } ?? false }
        }
    }

    @Test("there are copies only while a missing message stops the final fold")
    func copies() {
        var folds = SiteFolds(
            Seconds(), gateways: ["a"], allowedLateness: .seconds(60), mostPendingBytes: 1 << 20)
        func pass(_ number: Int64) -> [UnixSecond]? {
            _ = folds.take(Scene.window(number), from: "a")
            _ = folds.advance((), atMost: nil)
            folds.advance(
                through: Scene.second(number).advanced(by: 2), (), atMost: nil)
            return folds.live
        }
        // The first window of a gateway waits for earlier ones.
        for number in 0..<70 as Range<Int64> { _ = pass(number) }
        for number in 70..<90 as Range<Int64> { #expect(pass(number) == nil) }
        #expect(folds.final.seconds.next == Scene.second(90))
        // The window 90 is missing.
        for number in 91..<100 as Range<Int64> {
            #expect(pass(number)?.last == Scene.second(number))
        }
        #expect(folds.final.seconds.next == Scene.second(90))
        #expect(folds.take(Scene.window(90), from: "a") == .new)
        #expect(pass(100) == nil)
        #expect(folds.final.seconds.next == Scene.second(101))
    }
}

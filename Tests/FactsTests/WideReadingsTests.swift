import Primitives
import Testing

@testable import Facts

@Suite("the readings of wide windows")
struct WideReadingsTests {
    @Test("the memory of windows that overlap is bounded, and changes no reading")
    func bounded() {
        let start = Scene.start.start
        let span = start..<start + .seconds(3600)
        let windows = (0..<20 as Range<UInt64>).map { number in
            WindowFact(
                session: "a", numbers: number...number, span: span,
                readings: (0..<3500).map { tag in
                    Reading(
                        tag: Tag(rawValue: UInt64(tag)), power: -60, count: 9,
                        seen: start...start + .seconds(3599), senders: 1)
                })
        }
        var wide = WideReadings()
        for second in [3, 4] as [Int64] {
            var found: [Reading] = []
            for window in windows {
                wide.add(window, in: Scene.second(second).span, to: &found)
            }
            #expect(found.count == 20 * 3500)
            #expect(wide.count <= WideReadings.most && wide.count > WideReadings.most - 3500)
        }
        wide.forget(before: span.upperBound)
        #expect(wide.count == 0)
    }
}

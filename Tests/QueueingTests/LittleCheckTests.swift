import Facts
import Testing

@testable import Queueing

@Suite("Little's identity")
struct LittleCheckTests {
    private static func visit(_ entered: UnixSecond, _ left: UnixSecond) -> Visit {
        Visit(
            queue: "checkout", tag: Tag(rawValue: 1), entered: EdgeDate(entered),
            left: EdgeDate(left), end: .served, logOdds: 6)
    }

    /// The residual after three seconds with these lengths: one visit has ended after two of them, the other one goes on.
    private static func residual(lengths: [Int]) -> Duration {
        var check = LittleCheck()
        check.add(lengths: lengths, [visit(0, 2), visit(1, 9)], 0..<3)
        return check.residual
    }

    @Test("the lengths of a minute add up to the times in line: no residual")
    func exact() {
        #expect(Self.residual(lengths: [1, 2, 1]) == .zero)
    }

    @Test(
        "a wrong length leaves a residual of its person-seconds",
        arguments: [([1, 2, 2], 1), ([1, 1, 1], -1), ([0, 0, 0], -4)])
    func wrong(lengths: [Int], expected: Int) {
        #expect(Self.residual(lengths: lengths) == .seconds(expected))
    }
}

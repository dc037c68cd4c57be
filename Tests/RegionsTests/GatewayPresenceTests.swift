import Facts
import Foundation
import Primitives
import Testing

@testable import Regions

@Suite("presence of a beacon at a gateway")
struct GatewayPresenceTests {
    /// The changes of a beacon with these reports in each second: `enter 3` and `left 40` in the seconds 3 and 40.
    private static func changes(
        _ reports: [Int], power: Double = -85, rule: ExitRule = .usual,
        listening: (Int) -> Bool = { _ in true }
    ) -> [String] {
        var detector = GatewayDetector(rule: rule)
        return reports.enumerated().flatMap { number, count -> [String] in
            let second = Scene.second(number)
            let level = GatewaySecond.Level(
                tag: Scene.visitor, power: power, senders: 1, reports: Double(count),
                seen: second.start...second.start)
            let state =
                listening(number)
                ? GatewaySecond(heard: .seconds(1), levels: count > 0 ? [level] : [])
                : GatewaySecond(deaf: .seconds(1))
            return detector.on(state, at: second).map { change in
                switch change.change {
                case .entered: "enter \(number)"
                case .left: "left \(number)"
                }
            }
        }
    }

    @Test(
        "a beacon enters with three reports in two seconds of ten, or with two near the gateway",
        arguments: [
            ([1], -60.0, []), ([3], -85, []), ([2, 1], -85, ["enter 1"]),
            ([1, 0, 1], -85, []), ([1, 1, 1], -85, ["enter 2"]),
            ([1, 1, 0, 0, 0, 0, 0, 0, 0, 1], -85, ["enter 9"]),
            ([1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1], -85, []),
            ([2], -75, []), ([2], -74, ["enter 0"]), ([1, 0, 1], -74, ["enter 2"]),
        ] as [([Int], Double, [String])])
    func entry(reports: [Int], power: Double, expected: [String]) {
        #expect(Self.changes(reports, power: power) == expected)
    }

    @Test("a fixed time of silence ends the presence")
    func fixedExit() {
        let reports = Array(repeating: 2, count: 5) + Array(repeating: 0, count: 40)
        // The last report is at the beginning of second 4.
        #expect(
            Self.changes(reports, rule: .fixed(.seconds(10))) == ["enter 1", "left 13"])
        #expect(
            Self.changes(reports, rule: .fixed(.milliseconds(10_500))) == ["enter 1", "left 14"])
    }

    @Test("time in which the gateway does not listen is no silence")
    func deafTime() {
        let reports = Array(repeating: 2, count: 5) + Array(repeating: 0, count: 400)
        let changes = Self.changes(reports, rule: .fixed(.seconds(10))) {
            !(8..<308).contains($0)
        }
        #expect(changes == ["enter 1", "left 313"])
    }

    /// The deadline of the specification, written a second time: of a beacon that was always heard for `seconds`.
    private static func deadline(rate: Double, seconds: Int, falsePerDay: Double) -> Double {
        var (a, b) = (0.0, 0.0)
        for _ in 0..<seconds {
            a = a * exp(-1 / 60) + rate
            b = b * exp(-1 / 60) + 1
        }
        let q = falsePerDay / 86_400
        let a2 = max(a - 0.5 * sqrt(a), 0.5)
        let d1 = b * (exp(min(8, log(max(a2 / b / q, 2.7)) / a2)) - 1)
        let presence = Double(seconds - 2)
        let e = 3.0 / 2 * (1 + 1.5 / sqrt(2.0))
        let d2 = 1 + e * log(max(2 / (600 + presence) / q, 2.7))
        return min(max(d1, d2, 3), 120)
    }

    @Test(
        "the deadline follows the rate, the silences and the accepted false exits",
        arguments: [(2, 300, 0.3), (2, 1800, 0.3), (1, 60, 0.3), (5, 1800, 100), (1, 5, 0.3)])
    func learntDeadline(rate: Int, seconds: Int, falsePerDay: Double) throws {
        let reports =
            Array(repeating: rate, count: seconds) + Array(repeating: 0, count: 130)
        let changes = Self.changes(reports, rule: .learnt(falseExitsPerDay: falsePerDay))
        let deadline = Self.deadline(
            rate: Double(rate), seconds: seconds, falsePerDay: falsePerDay)
        // The last report is at the beginning of the last second, which counts as silence.
        let expected = seconds - 2 + Int(deadline.rounded(.up))
        #expect(changes.last == "left \(expected)")
    }

    @Test("a beacon that comes back soon after an exit has a longer deadline")
    func flap() {
        let heard = Array(repeating: 2, count: 1800)
        let gap = Array(repeating: 0, count: 60)
        let long = Array(repeating: 0, count: 130)
        let changes = Self.changes(heard + gap + heard + long + heard)
        let lefts = changes.filter { $0.hasPrefix("left") }.compactMap {
            Int($0.dropFirst("left ".count))
        }
        #expect(lefts.count == 2)
        guard lefts.count == 2 else { return }
        let first = lefts[0] - 1800
        let second = lefts[1] - 3660
        #expect(second >= 2 * first)
    }

    @Test("the factor of the deadline doubles with each flap, up to 4, and decays over days")
    func flapFactor() {
        var factor = FlapFactor()
        let values = [0, 3, 6].map { number -> Double in
            factor.onFlap(at: Scene.second(number))
            return (factor.value(at: Scene.second(number)) * 100).rounded() / 100
        }
        #expect(values == [2, 4, 4])
        let day = factor.value(at: Scene.second(86_406))
        #expect(abs(day - 4 * exp(-0.21)) < 0.001)
        #expect(factor.value(at: Scene.second(86_400 * 30)) == 1)
    }
}

import Primitives
import Testing

@testable import Subcommands

@Suite("history of a signal")
struct HistoryTests {
    private static let base: Int64 = 1_780_000_000

    private static func note(
        _ history: inout RecentSeconds, _ value: Double, _ from: Double, _ to: Double
    ) {
        history.note(
            value, from: UnixTime(second: base) + .seconds(from),
            to: UnixTime(second: base) + .seconds(to))
    }

    @Test("each second has the strongest value of its windows")
    func seconds() {
        var history = RecentSeconds()
        Self.note(&history, -70, 0, 1)
        Self.note(&history, -80, 1, 1.5)
        Self.note(&history, -60, 1.5, 2)
        Self.note(&history, -50, 4, 6)
        #expect(
            history.columns(8, seconds: 8, upTo: Self.base + 6)
                == [nil, -70, -60, nil, nil, -50, -50, nil])
    }

    @Test("columns of several seconds do not change as time passes")
    func groups() {
        var history = RecentSeconds()
        for second in 0..<60 {
            Self.note(&history, -Double(second), Double(second), Double(second + 1))
        }
        let first = history.columns(12, seconds: 60, upTo: Self.base + 59)
        #expect(first.count == 12)
        #expect(first.last == -55)
        #expect(
            history.columns(12, seconds: 60, upTo: Self.base + 57).dropLast() == first.dropLast())
        #expect(
            history.columns(12, seconds: 60, upTo: Self.base + 62) == Array(first.dropFirst()) + [
                nil
            ])
    }

    @Test("values older than five minutes are forgotten; a clock that steps back begins anew")
    func old() {
        var history = RecentSeconds()
        Self.note(&history, -70, 0, 1)
        Self.note(&history, -71, 299, 300)
        #expect(history.columns(300, seconds: 300, upTo: Self.base + 299).first == -70)
        Self.note(&history, -72, 300, 301)
        #expect(
            history.columns(300, seconds: 300, upTo: Self.base + 300).compactMap(\.self) == [
                -71, -72,
            ])
        Self.note(&history, -73, -5000, -4999)
        #expect(
            history.columns(300, seconds: 300, upTo: Self.base - 5000).compactMap(\.self) == [-73])
    }

    @Test(
        "every window is accepted",
        arguments: [
            (.min, .max), (.max, .min), (.min, UnixTime(milliseconds: .min + 1)),
            (UnixTime(milliseconds: .max - 1), .max),
        ]
            as [(UnixTime, UnixTime)])
    func absurd(start: UnixTime, end: UnixTime) {
        var history = RecentSeconds()
        history.note(.infinity, from: start, to: end)
        history.note(-1, from: 0, to: 1000)
        history.note(-.infinity, from: start, to: end)
        #expect(history.columns(0, seconds: 60, upTo: 5).isEmpty)
        #expect(history.columns(7, seconds: 60, upTo: .max / 1000).count <= 7)
    }
}

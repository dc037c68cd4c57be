import Posix
import Primitives

/// A time in a query: milliseconds since 1970, a time with its zone (ISO 8601, RFC 3339), or a date.
struct TimeParameter {
    let time: UnixTime

    /// For a fault's sentence.
    static let forms =
        "milliseconds since 1970, a time with its zone, such as 2026-11-28T09:00:00Z, or a date,"
        + " such as 2026-11-28"

    /// `nil` for any other text, and for times after the year 9999.
    init?(_ text: String) {
        guard
            let time = Int64(text).map(UnixTime.init(milliseconds:))
                ?? Self.time(Array(text.utf8)),
            (0...UnixTime.endOf9999).contains(time)
        else { return nil }
        self.time = time
    }

    private static func time(_ text: [UInt8]) -> UnixTime? {
        var rest = text[...]
        guard let year = number(4, 1970...9999, &rest), skip("-", &rest),
            let month = number(2, 1...12, &rest), skip("-", &rest),
            let day = number(2, 1...31, &rest)
        else { return nil }
        let midnight = UnixTime(second: days(year, month, day) * 86_400)
        let date = UTCTime(midnight).date
        // 31 April would be 1 May.
        guard date.utf8.elementsEqual(text.prefix(date.utf8.count)) else { return nil }
        if rest.isEmpty { return start(of: date, midnight) }
        guard skip("Tt ", &rest), let hour = number(2, 0...23, &rest), skip(":", &rest),
            let minute = number(2, 0...59, &rest)
        else { return nil }
        var milliseconds = (hour * 60 + minute) * 60_000
        if skip(":", &rest) {
            guard let second = number(2, 0...59, &rest) else { return nil }
            milliseconds += second * 1000
            if skip(".,", &rest) {
                let digits = rest.prefix { (48...57).contains($0) }
                guard (1...9).contains(digits.count) else { return nil }
                rest = rest.dropFirst(digits.count)
                milliseconds += zip(digits, [100, 10, 1]).reduce(0) { $0 + Int64($1.0 - 48) * $1.1 }
            }
        }
        guard let offset = offset(&rest), rest.isEmpty else { return nil }
        return midnight + .milliseconds(milliseconds - offset * 60_000)
    }

    /// The beginning of the sites' day of a date.
    private static func start(of date: String, _ midnight: UnixTime) -> UnixTime? {
        // Noon in Greenwich can have another date at both ends of the world.
        [12, 18, 6].lazy.map { LocalDay(containing: midnight + .seconds($0 * 3600)) }
            .first { $0.name == date }?.span.lowerBound
    }

    /// Minutes east of Greenwich; `nil` without a zone. In a query, a plus sign that is not encoded is a blank.
    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        if skip("Zz", &rest) { return 0 }
        let isWest = rest.first == UInt8(ascii: "-")
        guard skip("+- ", &rest), let hours = number(2, 0...23, &rest) else { return nil }
        guard !rest.isEmpty else { return (isWest ? -1 : 1) * hours * 60 }
        _ = skip(":", &rest)
        guard let minutes = number(2, 0...59, &rest) else { return nil }
        return (isWest ? -1 : 1) * (hours * 60 + minutes)
    }

    private static func skip(_ any: String, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard let first = rest.first, any.utf8.contains(first) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func number(
        _ digits: Int, _ range: ClosedRange<Int64>, _ rest: inout ArraySlice<UInt8>
    ) -> Int64? {
        let text = rest.prefix(digits)
        guard text.count == digits, text.allSatisfy({ (48...57).contains($0) }) else { return nil }
        rest = rest.dropFirst(digits)
        let number = text.reduce(0) { $0 * 10 + Int64($1 - 48) }
        return range.contains(number) ? number : nil
    }

    /// The days from 1970 to a date. A year begins on 1 March: the leap day is its last one.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let years = month > 2 ? year : year - 1
        let leapDays = years / 4 - years / 100 + years / 400
        return years * 365 + leapDays + (153 * ((month + 9) % 12) + 2) / 5 + day - 719_469
    }
}

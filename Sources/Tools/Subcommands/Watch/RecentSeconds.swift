import Primitives

/// The values of the last minutes, one for each second of a gateway's clock.
struct RecentSeconds {
    static let seconds: Int64 = 300
    private static let none = Int16.min
    private static let empty = [Int16](repeating: none, count: Int(seconds))

    /// The value of second `s` is at `s` modulo the size.
    private var values = Self.empty
    /// The newest second with a value.
    private(set) var newest = Int64.min

    /// Notes a value for each second of a window. Of two values in a second, the larger one counts.
    mutating func note(_ value: Double, from start: UnixTime, to end: UnixTime) {
        guard end > start else { return }
        let last = Self.second(end - .milliseconds(1))
        if newest == .min || last > newest || newest - last >= Self.seconds { clear(upTo: last) }
        let first = max(Self.second(start), last - Self.seconds + 1)
        let number = Int16(min(max(value, -32_000), 32_000))
        for second in first...last {
            let index = Self.index(second)
            values[index] = max(values[index], number)
        }
    }

    /// The last `seconds` in at most `width` columns; `nil` for seconds without a value. Columns of several seconds begin
    /// at a multiple of their length, so that they do not change from one second to the next.
    func columns(_ width: Int, seconds: Int64, upTo end: Int64) -> [Double?] {
        guard width > 0, newest != .min else { return [] }
        let length = max(1, (seconds + Int64(width) - 1) / Int64(width))
        let last = Self.floor(end, length)
        return (0..<(seconds + length - 1) / length).reversed().map { back in
            let start = (last - back) * length
            let group = (start..<start + length).compactMap(value)
            return group.max().map(Double.init)
        }
    }

    private func value(_ second: Int64) -> Int16? {
        guard second <= newest, newest - second < Self.seconds else { return nil }
        let value = values[Self.index(second)]
        return value == Self.none ? nil : value
    }

    /// Removes the values that are too old when `second` is the newest.
    private mutating func clear(upTo second: Int64) {
        let isNear = newest != .min && second > newest && second - newest < Self.seconds
        for old in (isNear ? newest + 1 : second - Self.seconds + 1)...second {
            values[Self.index(old)] = Self.none
        }
        newest = second
    }

    private static func second(_ time: UnixTime) -> Int64 { floor(time.milliseconds, 1000) }

    private static func index(_ second: Int64) -> Int {
        Int(second - floor(second, seconds) * seconds)
    }

    private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}

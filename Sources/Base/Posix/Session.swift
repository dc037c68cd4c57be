/// The name of one run of a program: a UUID of version 7, new at every start (RFC 9562).
///
/// The time helps people to sort; the random part makes it unique.
package struct Session: Equatable, Sendable, CustomStringConvertible {
    package let description: String

    /// - Parameters:
    ///   - milliseconds: since the Unix epoch.
    ///   - random: two words of random bits.
    package init(milliseconds: Int64, random: (UInt64, UInt64)) {
        let high = UInt64(truncatingIfNeeded: milliseconds) << 16 | 0x7000 | random.0 & 0x0fff
        let low = 0x8000_0000_0000_0000 | random.1 >> 2
        let digits = Self.hexadecimal(high) + Self.hexadecimal(low)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(digit)
        }
        description = text
    }

    /// The session of another process of the program.
    package init(description: String) { self.description = description }

    /// A new session that begins now.
    package static func begin() -> Session {
        Session(milliseconds: Clocks.wall.milliseconds, random: (Random.word(), Random.word()))
    }

    private static func hexadecimal(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The JSON number of a literal (RFC 8259 section 6); `nil` for an invalid one.
enum JSONNumber {
    case fits
    /// No integer of 64 bits, signed or unsigned, and no finite `Double`.
    case tooLarge

    init?(_ literal: ArraySlice<UInt8>) {
        var rest = literal
        if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
        guard let first = rest.first else { return nil }
        let whole = Self.takeDigits(from: &rest)
        guard whole == 1 || whole > 1 && first != UInt8(ascii: "0") else { return nil }
        let isInteger = rest.isEmpty
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            guard Self.takeDigits(from: &rest) > 0 else { return nil }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") {
                rest.removeFirst()
            }
            guard Self.takeDigits(from: &rest) > 0 else { return nil }
        }
        guard rest.isEmpty else { return nil }
        let text = String(decoding: literal, as: UTF8.self)
        let fits =
            isInteger
            ? Int64(text) != nil || UInt64(text) != nil : Double(text)?.isFinite ?? false
        self = fits ? .fits : .tooLarge
    }

    private static func takeDigits(from rest: inout ArraySlice<UInt8>) -> Int {
        let digits = rest.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
        rest = rest.dropFirst(digits.count)
        return digits.count
    }
}

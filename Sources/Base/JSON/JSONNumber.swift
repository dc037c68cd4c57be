/// A number (RFC 8259 section 6) while it is read.
struct JSONNumber {
    private var isNegative = false
    /// All digits as one integer; `nil` when they are more than 64 bits hold.
    private var digits: UInt64? = 0
    /// The power of ten by which `digits` must be multiplied.
    private var exponent = 0
    private var isWhole = true

    /// Integers up to 2⁵³ and these powers are exact, so that one operation rounds correctly.
    private static let powers: [Double] = (0...22).map { power in
        (0..<power).reduce(1) { value, _ in value * 10 }
    }

    /// - Returns: whether the text has a number at `offset`, which is then behind it.
    mutating func read(_ text: [UInt8], at offset: inout Int) -> Bool {
        func byte() -> UInt8 { offset < text.count ? text[offset] : 0 }
        if byte() == UInt8(ascii: "-") {
            isNegative = true
            offset &+= 1
        }
        let first = byte()
        let whole = readDigits(text, at: &offset)
        guard whole == 1 || whole > 1 && first != UInt8(ascii: "0") else { return false }
        if byte() == UInt8(ascii: ".") {
            isWhole = false
            offset &+= 1
            let fraction = readDigits(text, at: &offset)
            guard fraction > 0 else { return false }
            exponent = -fraction
        }
        guard byte() | 0x20 == UInt8(ascii: "e") else { return true }
        isWhole = false
        offset &+= 1
        let sign = byte()
        if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { offset &+= 1 }
        var power = JSONNumber()
        guard power.readDigits(text, at: &offset) > 0 else { return false }
        let steps = Int(clamping: min(power.digits ?? .max, UInt64(Int32.max)))
        exponent += sign == UInt8(ascii: "-") ? -steps : steps
        return true
    }

    private mutating func readDigits(_ text: [UInt8], at offset: inout Int) -> Int {
        let start = offset
        while offset < text.count {
            let digit = text[offset] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            if let soFar = digits {
                let (product, isTooLarge) = soFar.multipliedReportingOverflow(by: 10)
                let (sum, overflows) = product.addingReportingOverflow(UInt64(digit))
                digits = isTooLarge || overflows ? nil : sum
            }
            offset &+= 1
        }
        return offset &- start
    }

    /// The number; `nil` when it is no integer of 64 bits, signed or unsigned, and no finite `Double`.
    func value(of text: [UInt8], _ range: Range<Int>) -> (kind: JSONNode.Kind, bits: UInt64)? {
        if isWhole {
            guard let digits else { return nil }
            if !isNegative, digits > UInt64(Int64.max) {
                return (.number, Double(digits).bitPattern)
            }
            guard digits <= Int64.min.magnitude else { return nil }
            return (.integer, isNegative ? 0 &- digits : digits)
        }
        let number: Double
        if let digits, digits <= 1 << 53, (-22...22).contains(exponent) {
            let magnitude =
                exponent < 0
                ? Double(digits) / Self.powers[-exponent] : Double(digits) * Self.powers[exponent]
            number = isNegative ? -magnitude : magnitude
        } else {
            number = Double(String(decoding: text[range], as: UTF8.self)) ?? .infinity
        }
        return number.isFinite ? (.number, number.bitPattern) : nil
    }
}

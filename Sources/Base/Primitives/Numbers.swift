extension BinaryInteger {
    /// The number with a comma between thousands: `15,041`.
    package var grouped: String {
        let digits = Array(String(magnitude))
        var text = self < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }
}

extension Double {
    /// The number with one decimal place, for columns; `–` if it is infinite, not a number or above 10¹⁵.
    package var tenths: String {
        guard magnitude < 1e15 else { return "–" }
        let tenths = Int64((self * 10).rounded())
        let (whole, rest) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
        return "\(tenths < 0 ? "-" : "")\(whole).\(rest)"
    }
}

extension Double {
    /// The number with one decimal place if it is below 10, else without: `412`, `3.5`, `3`.
    package var brief: String {
        let text = tenths
        return magnitude >= 9.95 && magnitude < 1e15
            ? Int64(rounded()).grouped : text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

/// A number with its noun: `1 gateway`, `2 gateways`, `2 identities`.
package func count(_ number: some BinaryInteger, _ noun: String, plural: String? = nil) -> String {
    "\(number.grouped) \(number == 1 ? noun : plural ?? noun + "s")"
}

/// Bytes from hexadecimal digits, with any space between them and a comment after `#` on each line.
package func hex(_ text: String) -> [UInt8] {
    let digits = text.split(separator: "\n").flatMap { line in
        line.prefix { $0 != "#" }.compactMap(\.hexDigitValue)
    }
    return stride(from: 0, to: digits.count - 1, by: 2).map {
        UInt8(digits[$0] << 4 | digits[$0 + 1])
    }
}

/// Bytes as hexadecimal digits, for comparisons and failure messages.
package func digits(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

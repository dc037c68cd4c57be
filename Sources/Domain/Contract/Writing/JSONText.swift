import JSON

/// Small pieces of JSON for messages that are written now and then, and need not be fast.
enum JSONText {
    /// A string with its quotes and escapes.
    static func string(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: bytes.append(byte)
            }
        }
        return bytes + [UInt8(ascii: "\"")]
    }

    /// An object of members whose values are JSON already; those without value are left out.
    static func object(_ members: KeyValuePairs<String, [UInt8]?>) -> [UInt8] {
        var bytes: [UInt8] = []
        for case (let key, let value?) in members {
            bytes.append(UInt8(ascii: bytes.isEmpty ? "{" : ","))
            bytes += string(key) + [UInt8(ascii: ":")] + value
        }
        return bytes.isEmpty ? Array("{}".utf8) : bytes + [UInt8(ascii: "}")]
    }

    static func integer(_ number: some BinaryInteger) -> [UInt8] { Array(String(number).utf8) }

    /// A number with two digits of fraction at most.
    static func hundredths(_ value: Double) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: 24) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            var cursor = JSONCursor(start)
            cursor.put(hundredthsOf: value)
            count = cursor.next - start
        }
    }
}

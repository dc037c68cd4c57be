import Foundation
import JSON
import TestVectors
import Testing

/// `JSONSerialization` shares no code with `JSON`.
@Suite struct JSONAgainstFoundationTests {
    /// Texts that `JSONSerialization` takes and `JSON` doesn't, on purpose.
    private static let stricter = [
        "duplicate key", "a NUL character", "nested deeper", "half a character",
        "too large to hold", "a comma with nothing behind it",
    ]

    private static let document = Array(
        #"""
        {"v":1,"a":[-1,2.5,-0.125,1e3,1.5E-7,0,-64.2,1780000001000,18446744073709551615,
        123456789012345678.5,0.1234567890123456789,9007199254740993.0],"é":{"\u00e9":"\ud83d\ude00 \" é",
        "x":null,"y":true,"z":false,"":[[],{}]},"uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0"}
        """#.utf8)

    @Test("a mutated document has the value that another parser finds", arguments: [0xda7a, 7])
    func mutations(seed: UInt64) {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        var agreed = 0
        for _ in 0..<10_000 {
            var bytes = Self.document
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                Self.mutate(&bytes, &random)
            }
            let other = try? JSONSerialization.jsonObject(
                with: Data(bytes), options: .fragmentsAllowed)
            let text = String(decoding: bytes, as: UTF8.self)
            do throws(JSONSyntaxError) {
                let json = try JSON(parsing: bytes, maxBytes: 1000)
                #expect(other.map { Self.isEqual(json, $0) } == true, "\(text)")
                agreed += 1
            } catch {
                let isStricter = Self.stricter.contains { error.sentence.contains($0) }
                #expect(other == nil || isStricter, "\(error): \(text)")
            }
        }
        #expect((1000..<10_000).contains(agreed))
    }

    @Test("a number is rounded as strtod rounds it", arguments: [0x4d0e])
    func numbers(seed: UInt64) throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<10_000 {
            let whole =
                UInt64.random(in: 0...UInt64.max, using: &random)
                >> UInt64.random(in: 0...63, using: &random)
            let fraction =
                UInt64.random(in: 0...UInt64.max, using: &random)
                >> UInt64.random(in: 0...63, using: &random)
            let exponent = Int.random(in: -40...40, using: &random)
            for text in [
                "\(whole).\(fraction)", "-\(whole)e\(exponent)", "\(whole).\(fraction)E\(exponent)",
            ] {
                let json = try JSON(parsing: Array(text.utf8), maxBytes: 1000)
                #expect(json == .number(strtod(text, nil)), "\(text)")
            }
        }
    }

    private static func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let alphabet = Array("{}[]\",:\\/0123456789eE+-.truefalsn ud\u{1}é".utf8)
        let index = Int.random(in: 0..<bytes.count, using: &random)
        let byte = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = byte
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(byte, at: index)
        default: bytes[index] ^= UInt8.random(in: 1...255, using: &random)
        }
    }

    private static func isEqual(_ json: JSON, _ other: Any) -> Bool {
        switch json {
        case .null: return other is NSNull
        case .bool(let value): return other as? Bool == value
        case .integer(let number): return (other as? NSNumber)?.int64Value == number
        case .number(let number):
            // `JSONSerialization` rounds some numbers wrongly, by the last bits.
            guard let value = (other as? NSNumber)?.doubleValue else { return false }
            return abs(value - number) <= number.magnitude * 1e-14
        case .string(let text): return other as? String == text
        case .array(let elements):
            guard let others = other as? [Any], others.count == elements.count else {
                return false
            }
            return zip(elements, others).allSatisfy { isEqual($0, $1) }
        case .object(let members):
            guard let others = other as? [String: Any] else { return false }
            return others.count == members.count
                && members.allSatisfy { member in
                    others[member.key].map { isEqual(member.value, $0) } ?? false
                }
        }
    }
}

import JSON
import TestVectors
import Testing

@Suite struct JSONFuzzTests {
    private static let document = Array(
        #"{"a":[1,-2.5e3,true,false,null,{"b":"\u00e9\ud83d\ude00é"}],"c":{"d":"// x"},"e":/* y */""}"#
            .utf8)

    @Test("every incomplete prefix of a document is an error with a place")
    func prefixes() {
        for count in 0..<Self.document.count {
            let bytes = Array(Self.document.prefix(count))
            do throws(JSONSyntaxError) {
                _ = try JSON(parsing: bytes, maxBytes: 1000, allowingComments: true)
                Issue.record("\(count) bytes were taken for a document")
            } catch {
                #expect(error.line == 1 && (1...count + 1).contains(error.column))
            }
        }
        #expect(throws: Never.self) {
            try JSON(parsing: Self.document, maxBytes: 1000, allowingComments: true)
        }
    }

    @Test("any bytes are a value or an error", arguments: [0x15a_0b5e])
    func anyBytes(seed: UInt64) {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("{}[]\",:\\/*0123eE+-.truefalsn \nud8\u{0}\u{1}é\"\"{}".utf8) + [0xff]
        var values = 0
        for round in 0..<20_000 {
            var bytes: [UInt8]
            if round.isMultiple(of: 2) {
                bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                    alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                }
            } else {
                bytes = Self.document
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let index = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[index] = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                }
            }
            if (try? JSON(parsing: bytes, maxBytes: 1000, allowingComments: round % 4 < 2)) != nil {
                values += 1
            }
        }
        #expect((1..<20_000).contains(values))
    }
}

import JSON
import Testing

@Suite struct ObjectReaderNullsTests {
    private enum Word: String, CaseIterable {
        case one
        case two
    }

    private static let document =
        #"{"a":null,"b":null,"c":null,"d":null,"e":null,"o":null,"l":null,"n":{"a":null},"x":[{"a":null}]}"#

    private static func read(
        _ nulls: ObjectReader.Nulls, of text: String = document,
        _ body: (inout ObjectReader) -> String?
    ) -> String {
        do throws(Faults) {
            return try ObjectReader.decode(
                parsing: Array(text.utf8), maxBytes: 1000, unknownKeys: .areIgnored, nulls: nulls,
                body)
        } catch {
            return error.list.map { "\($0.pointer) \($0.code.rawValue)" }.joined(separator: ", ")
        }
    }

    private static func every(_ reader: inout ObjectReader) -> String {
        let values: [Any?] = [
            reader.optionalInteger("a", in: 0...9), reader.integer("a", in: 0...9, default: 3),
            reader.bool("b", default: true), reader.string("c", default: "s"),
            reader.number("d", in: 0...1, default: 0.5), reader.choice("e", default: Word.two),
            reader.optionalObject("o") { _ in 1 }, reader.objects("l", atMost: 1) { _ in 1 },
            reader.object("n") { $0.integer("a", in: 0...9, default: 4) },
            reader.objects("x", atMost: 1) { $0.integer("a", in: 0...9, default: 5) },
            reader.has("a"), reader.json("a")?.text,
        ]
        return values.map { $0.map { "\($0)" } ?? "-" }.joined(separator: " ")
    }

    @Test("if null removes keys, every getter returns nil at every level")
    func removed() {
        #expect(Self.read(.removeKeys, Self.every) == "- 3 true s 0.5 two - [] 4 [5] false -")
    }

    @Test("if null is a value, it has the wrong type")
    func value() {
        #expect(
            Self.read(.areValues, Self.every)
                == "/a wrong-type, /a wrong-type, /b wrong-type, /c wrong-type, /d wrong-type, "
                + "/e wrong-type, /o wrong-type, /l wrong-type, /n/a wrong-type, /x/0/a wrong-type")
    }

    @Test("a required member that is removed is missing")
    func required() {
        let outcome = Self.read(.removeKeys) { reader in
            _ = reader.string("a")
            _ = reader.object("n") { $0.integer("a", in: 0...9) }
            return nil
        }
        #expect(outcome == "/a missing, /n/a missing")
    }

    @Test("a null in an array is an element")
    func elements() {
        let outcome = Self.read(.removeKeys, of: #"{"l":[null]}"#) { reader in
            "\(reader.objects("l", atMost: 1) { _ in 1 })"
        }
        #expect(outcome == "/l/0 wrong-type")
    }

    @Test("an unknown key is a fault, also with null")
    func unknown() {
        #expect(throws: Faults.self) {
            try ObjectReader.decode(.object([.init("a", .null)]), nulls: .removeKeys) { _ in 1 }
        }
        #expect(throws: Never.self) {
            try ObjectReader.decode(.object([.init("a", .null)]), nulls: .removeKeys) { reader in
                reader.optionalString("a") ?? ""
            }
        }
    }
}

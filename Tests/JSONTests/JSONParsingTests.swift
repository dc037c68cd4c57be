import JSON
import Testing

@Suite struct JSONParsingTests {
    static func parse(
        _ text: String, depth: Int = JSON.usualDepth, comments: Bool = false
    ) throws(JSONSyntaxError) -> JSON {
        try JSON(
            parsing: Array(text.utf8), maxBytes: 1 << 20, depth: depth, allowingComments: comments)
    }

    /// The error as `line:column code pointer sentence`, or the value.
    static func outcome(
        _ text: String, depth: Int = JSON.usualDepth, comments: Bool = false
    ) -> String {
        do throws(JSONSyntaxError) {
            return "\(try parse(text, depth: depth, comments: comments))"
        } catch {
            let place = error.pointer == .root ? "" : " \(error.pointer)"
            return "\(error.line):\(error.column) \(error.code.rawValue)\(place) \(error.sentence)"
        }
    }

    @Test(
        "reads every kind of JSON value",
        arguments: [
            ("null", JSON.null),
            (" true\n", .bool(true)),
            ("false", .bool(false)),
            ("0", .integer(0)),
            ("-0", .integer(0)),
            ("-12", .integer(-12)),
            ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)),
            ("18446744073709551615", .number(18_446_744_073_709_551_616)),
            ("1.5", .number(1.5)),
            ("1E2", .number(100)),
            ("-1.25e-2", .number(-0.0125)),
            (#""""#, .string("")),
            (#""a\"\\\/\b\f\n\r\t""#, .string("a\"\\/\u{8}\u{c}\n\r\t")),
            (#""é ü 😀 \u00e9\ud83d\ude00""#, .string("é ü 😀 é😀")),
            ("[]", .array([])),
            ("[1, [2], {}]", .array([.integer(1), .array([.integer(2)]), .object([])])),
            (
                #"{"b":1,"a":null,"":[]}"#,
                .object([.init("b", .integer(1)), .init("a", .null), .init("", .array([]))])
            ),
        ] as [(String, JSON)])
    func good(text: String, value: JSON) throws { #expect(try Self.parse(text) == value) }

    @Test(
        "invalid JSON is an error with its place",
        arguments: [
            ("", "1:1 invalid-json there is nothing here; a JSON value was expected"),
            (" \n ", "2:2 invalid-json there is nothing here; a JSON value was expected"),
            ("{", "1:2 invalid-json the text ends in the middle of a value"),
            ("[1,\n2", "2:2 invalid-json the text ends in the middle of a value"),
            ("[1,]", "1:3 invalid-json a comma with nothing behind it"),
            (#"{"a":1,}"#, "1:7 invalid-json a comma with nothing behind it"),
            (#"{"a":[1 , ] }"#, "1:9 invalid-json /a a comma with nothing behind it"),
            ("1 2", "1:3 invalid-json text behind the end of the document: “2”"),
            ("{} {}\n", "1:4 invalid-json text behind the end of the document: “{}”"),
            ("[1], 2", "1:4 invalid-json text behind the end of the document: “, 2”"),
            ("{}}", "1:3 invalid-json text behind the end of the document: “}”"),
            (#"{"a":[1}} 2"#, "1:8 invalid-json “,” or “]” was expected"),
            ("{} # no", "1:4 invalid-json comments are not allowed here"),
            ("[1 2]", "1:4 invalid-json “,” or “]” was expected"),
            (#"{"a" 1}"#, "1:6 invalid-json “:” was expected"),
            (#"{"a":1 "b":2}"#, "1:8 invalid-json “,” or “}” was expected"),
            ("{1:2}", "1:2 invalid-json a key in double quotes was expected"),
            ("[}", "1:2 invalid-json this was not expected here"),
            ("]", "1:1 invalid-json this was not expected here"),
            (",", "1:1 invalid-json this was not expected here"),
            ("NaN", "1:1 invalid-json “NaN” is no value; strings need double quotes"),
            (
                "[-Infinity]",
                "1:2 invalid-json /0 “-Infinity” is no value; strings need double quotes"
            ),
            ("True", "1:1 invalid-json “True” is no value; strings need double quotes"),
            ("nul", "1:1 invalid-json “nul” is no value; strings need double quotes"),
            ("'a'", "1:1 invalid-json “'a'” is no value; strings need double quotes"),
            ("{a:1}", "1:2 invalid-json “a” is no value; strings need double quotes"),
            ("01", "1:1 invalid-json “01” is no value; strings need double quotes"),
            ("+1", "1:1 invalid-json “+1” is no value; strings need double quotes"),
            ("1.", "1:1 invalid-json “1.” is no value; strings need double quotes"),
            (".5", "1:1 invalid-json “.5” is no value; strings need double quotes"),
            ("1e", "1:1 invalid-json “1e” is no value; strings need double quotes"),
            ("-", "1:1 invalid-json “-” is no value; strings need double quotes"),
            ("0x10", "1:1 invalid-json “0x10” is no value; strings need double quotes"),
            (
                "\u{feff}{}",
                "1:1 invalid-json begins with a byte order mark; save it as UTF-8 without one"
            ),
            ("\u{b}1", "1:1 invalid-json “\\u{b}1” is no value; strings need double quotes"),
            (
                #"{"a":[0,18446744073709551616]}"#,
                "1:9 out-of-range /a/1 a number that is too large to hold"
            ),
            ("-9223372036854775809", "1:1 out-of-range a number that is too large to hold"),
            ("1e999", "1:1 out-of-range a number that is too large to hold"),
            (#""a"#, "1:1 invalid-json the string that begins here has no end"),
            (#""a\"#, "1:3 invalid-json an escape that JSON does not have"),
            (#""\x41""#, "1:2 invalid-json an escape that JSON does not have"),
            (#""\u12"#, "1:2 invalid-json \\u needs four hexadecimal digits"),
            (#""\u+123""#, "1:2 invalid-json \\u needs four hexadecimal digits"),
            (#""\ud800""#, "1:2 invalid-json an escape for half a character (a lone surrogate)"),
            (
                #""\ud800\u0041""#,
                "1:2 invalid-json an escape for half a character (a lone surrogate)"
            ),
            (
                #""\ude00\ud83d""#,
                "1:2 invalid-json an escape for half a character (a lone surrogate)"
            ),
            (#""\u0000""#, "1:1 invalid-json a NUL character in a string"),
            ("\"a\nb\"", "1:3 invalid-json a control character in a string; write it as an escape"),
            ("{}\u{0}", "1:3 invalid-json a NUL character"),
            ("{} // no", "1:4 invalid-json comments are not allowed here"),
            ("{} /* no */", "1:4 invalid-json comments are not allowed here"),
        ] as [(String, String)])
    func bad(text: String, error: String) { #expect(Self.outcome(text) == error) }

    @Test(
        "finds a duplicate key in any spelling",
        arguments: [
            (#"{"a":1,"a":1}"#, "1:8 invalid-json /a duplicate key"),
            (#"{"a":1,"\u0061":2}"#, "1:8 invalid-json /a duplicate key"),
            (
                #"{"a":{"b":[1,{"c":1,"d":2,"c":3}]}}"#,
                "1:27 invalid-json /a/b/1/c duplicate key"
            ),
            (#"{"😀":1,"\ud83d\uDE00":2}"#, "1:8 invalid-json /😀 duplicate key"),
            (#"{"":1,"":2}"#, "1:7 invalid-json / duplicate key"),
            (#"{"a/~":1,"a/~":2}"#, "1:10 invalid-json /a~1~0 duplicate key"),
        ] as [(String, String)])
    func duplicate(text: String, error: String) { #expect(Self.outcome(text) == error) }

    @Test(
        "finds a duplicate key among many, with and without escapes", arguments: [15, 16, 17, 300])
    func duplicateAmongMany(count: Int) {
        let members = (0..<count).map { "\"k\($0)\":0" }.joined(separator: ",")
        #expect(Self.outcome("{\(members)}").hasPrefix("object("))
        for (key, name) in [("k0", "k0"), ("k\(count - 1)", "k\(count - 1)"), (#"\u006b7"#, "k7")] {
            let text = #"{\#(members),"\#(key)":1}"#
            let column = members.utf8.count + 3
            #expect(
                Self.outcome(text)
                    == "1:\(column) invalid-json /\(name) duplicate key")
        }
    }

    @Test("keys with the same look but different bytes are different")
    func lookalikes() throws {
        // é in one scalar and in two; K and the kelvin sign.
        let value = try Self.parse("{\"\u{e9}\":1,\"e\u{301}\":2,\"\u{212a}\":3,\"K\":4}")
        #expect(value["e\u{301}"] == .integer(2))
        #expect(value["K"] == .integer(4))
    }

    @Test("different objects may have the same key")
    func sameKeyElsewhere() throws {
        _ = try Self.parse(#"{"a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]}"#)
    }

    @Test("accepts nesting up to the limit")
    func depth() {
        func nested(_ levels: Int) -> String {
            String(repeating: "[", count: levels) + "1" + String(repeating: "]", count: levels)
        }
        for depth in [1, 2, 16, 512] {
            #expect(throws: Never.self) { try Self.parse(nested(depth), depth: depth) }
            #expect(
                Self.outcome(nested(depth + 1), depth: depth).contains(
                    "nested deeper than \(depth) levels"))
        }
        #expect(Self.outcome("[1]", depth: 0).contains("nested deeper than 0 levels"))
        // The parser limits the depth even without a limit of the caller.
        #expect(Self.outcome(nested(100_000), depth: .max).contains("nested deeper than 512"))
    }

    @Test("refuses a text above the size limit")
    func size() throws {
        let text = Array("[1,2,3]".utf8)
        #expect(throws: Never.self) { try JSON(parsing: text, maxBytes: 7) }
        do throws(JSONSyntaxError) {
            _ = try JSON(parsing: text, maxBytes: 6)
            Issue.record("read all the same")
        } catch {
            #expect(error.code == .tooLarge)
        }
    }

    @Test(
        "gives the offset of invalid UTF-8",
        arguments: [
            ([0x22, 0xff, 0x22], 2),  // never in UTF-8
            ([0x22, 0xc0, 0x80, 0x22], 2),  // NUL, longer than need be
            ([0x22, 0xe0, 0x80, 0xaf, 0x22], 2),  // a slash, longer than need be
            ([0x22, 0xed, 0xa0, 0x80, 0x22], 2),  // a surrogate
            ([0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], 2),  // beyond U+10FFFF
            ([0x22, 0xc3, 0xa9, 0x80, 0x22], 3),  // é, then a lone continuation byte
            ([0x22, 0xe2, 0x82], 2),  // cut short
            ([0x22, 0xf0, 0x9f, 0x98], 2),  // cut short
        ] as [([UInt8], Int)])
    func invalidUTF8(bytes: [UInt8], column: Int) {
        do throws(JSONSyntaxError) {
            _ = try JSON(parsing: bytes, maxBytes: 100)
            Issue.record("taken for UTF-8")
        } catch {
            #expect(error.sentence == "this is not UTF-8")
            #expect(error.column == column)
        }
    }

    @Test(
        "allowed comments count as blanks, except in strings",
        arguments: [
            ("// a\n1 // b", "integer(1)"),
            ("/**/1/* * / // */", "integer(1)"),
            (
                #"["// \" /* ", /* " */ 2]"#,
                #"array([JSON.JSON.string("// \" /* "), JSON.JSON.integer(2)])"#
            ),
            ("1 /* é */ 2", "1:11 invalid-json text behind the end of the document: “2”"),
            (
                "{\n# a/b \"c\n}",
                "2:1 invalid-json comments begin with “//” or “/*”, not with “#”"
            ),
            (##""# a""##, ##"string("# a")"##),
            ("[/* a\n b */ x]", "2:7 invalid-json /0 “x” is no value; strings need double quotes"),
            ("1 /* a", "1:3 invalid-json the comment that begins here has no end"),
            ("1 /*/", "1:3 invalid-json the comment that begins here has no end"),
            ("1 /", "1:3 invalid-json a lone “/”; a comment begins with “//” or “/*”"),
            ("// only", "1:8 invalid-json there is nothing here; a JSON value was expected"),
        ] as [(String, String)])
    func comments(text: String, expected: String) {
        #expect(Self.outcome(text, comments: true) == expected)
    }
}

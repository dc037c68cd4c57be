import JSON
import Testing

@Suite("canonical JSON")
struct CanonicalTests {
    private static func canonical(_ text: String) throws -> String {
        let json = try JSON(parsing: Array(text.utf8), maxBytes: 10_000)
        return String(decoding: json.canonicalBytes, as: UTF8.self)
    }

    @Test("the examples of RFC 8785 have its bytes")
    func examples() throws {
        // Sections 3.2.2 and 3.2.4.
        let first = #"""
            {"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
             "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}
            """#
        #expect(
            try Self.canonical(first)
                == #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#
        )
        // Section 3.2.3.
        let second = #"""
            {"\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
             "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
             "\u00f6": "Latin Small Letter O With Diaeresis"}
            """#
        let values = [
            "Carriage Return", "One", "Control", "Latin Small Letter O With Diaeresis",
            "Euro Sign", "Emoji: Grinning Face", "Hebrew Letter Dalet With Dagesh",
        ]
        let keys = ["\\r", "1", "\u{80}", "ö", "€", "😀", "\u{fb33}"]
        let members = zip(keys, values).map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",")
        #expect(try Self.canonical(second) == "{\(members)}")
    }

    @Test(
        "the numbers of RFC 8785, appendix B, have its text",
        arguments: [
            (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"), (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"), (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"), (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"), (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ] as [(UInt64, String)])
    func numbers(bits: UInt64, text: String) {
        let json = JSON.number(Double(bitPattern: bits))
        #expect(String(decoding: json.canonicalBytes, as: UTF8.self) == text)
    }

    @Test(
        "spelling, blanks and order do not matter, values do",
        arguments: [
            (
                #"{"b":1,"a":{"d":[1,2],"c":null}}"#,
                #" { "a" : {"c":null,"d":[1.0,0.2e1]}, "\u0062":1 }"#, true
            ),
            (#"[1,2]"#, "[2,1]", false), (#"{"a":null}"#, "{}", false), (#""1""#, "1", false),
            ("9007199254740993", "9007199254740992", true),
        ])
    func equality(left: String, right: String, isEqual: Bool) throws {
        #expect((try Self.canonical(left) == Self.canonical(right)) == isEqual)
    }
}

import JSON
import Testing

@Suite struct JSONTextTests {
    @Test("writes JSON on one line with its escapes")
    func json() {
        let value = JSON.object([
            .init("a\"\n", .array([.null, .bool(true), .integer(-1), .number(1.5)])),
            .init("b", .string("ü\\\u{1}")),
        ])
        #expect(value.text == #"{"a\"\u000a":[null,true,-1,1.5],"b":"ü\\\u0001"}"#)
    }

    @Test("separates nested and empty values with single commas")
    func nested() {
        let value: JSON = [
            "a": [[], [:], [1, [2]], "\u{7f}"], "b": [:], "c": ["d": .null], "e": 3,
        ]
        #expect(
            value.text
                == #"{"a":[[],{},[1,[2]],"\u007f"],"b":{},"c":{"d":null},"e":3}"#)
    }

    @Test("the writer leaves out absent members and writes unsigned integers exactly")
    func writer() {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("absent", nil as Int64?)
            writer.member("large", UInt64.max)
            writer.member("group") { $0.member("absent", nil as JSON?) }
            writer.member("last", "x")
        }
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"large":18446744073709551615,"group":{},"last":"x"}"#)
    }
}

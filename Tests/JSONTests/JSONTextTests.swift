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
}

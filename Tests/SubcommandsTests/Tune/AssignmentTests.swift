import JSON
import Testing

@testable import Subcommands

@Suite("KEY=VALUE")
struct AssignmentTests {
    static func json(_ text: String) throws -> JSON {
        try JSON(parsing: Array(text.utf8), maxBytes: 10_000)
    }

    @Test(
        "a value is JSON, or else a string",
        arguments: [
            ("a=1", "1"), ("a=true", "true"), ("a=[1,2]", "[1,2]"), ("a=\"7\"", "\"7\""),
            ("a=", "\"\""), ("a=b=c", "\"b=c\""), ("a=tru", "\"tru\""),
            ("a=007", "\"007\""), ("a:=null", "null"), ("a={\"b\":1}", "{\"b\":1}"),
            ("a=e2c56db5-dffb-48d2-b060-d0f5a71096e0", "\"e2c56db5-dffb-48d2-b060-d0f5a71096e0\""),
            // Digits that exceed every number type.
            ("a=12345678901234567890123456789012", "\"12345678901234567890123456789012\""),
        ])
    func values(text: String, value: String) throws {
        let assignment = try Assignment(parsing: text)
        #expect(assignment.path == ["a"])
        #expect(assignment.value.text == value)
    }

    @Test(
        "an invalid assignment is refused",
        arguments: [
            "a", "=1", "a..b=1", ".a=1", "a.=1", "version=3", "a:=x", "a=[1", "a={\"b\"", "a=\"x",
            "a.b.c.d.e.f.g.h.i=1", ":=1",
        ])
    func refused(text: String) {
        #expect(throws: Assignment.Invalid.self) { try Assignment(parsing: text) }
    }

    @Test(
        "an assignment changes a document",
        arguments: [
            ("{}", "a.b=1", #"{"a":{"b":1}}"#),
            (#"{"a":{"b":1,"c":2}}"#, "a.b=3", #"{"a":{"b":3,"c":2}}"#),
            (#"{"a":{"b":1,"c":2}}"#, "a.b=null", #"{"a":{"c":2}}"#),
            // Only the removal of its last key removes a section.
            (#"{"a":{"b":1}}"#, "a.b=null", "{}"),
            (#"{"a":{}}"#, "a.b=null", #"{"a":{}}"#),
            (#"{"a":1}"#, "b.c=null", #"{"a":1}"#),
            (#"{"a":{"b":1}}"#, "a=null", "{}"),
            (#"{"a":{"b":1}}"#, "a.b:=null", #"{"a":{"b":null}}"#),
            ("{}", "a.b:=null", #"{"a":{"b":null}}"#),
            // A patch merges, a literal replaces.
            (#"{"a":{"b":1}}"#, #"a={"c":2}"#, #"{"a":{"b":1,"c":2}}"#),
            (#"{"a":{"b":1}}"#, #"a={"b":null,"c":2}"#, #"{"a":{"c":2}}"#),
            (#"{"a":{"b":1}}"#, #"a:={"c":2}"#, #"{"a":{"c":2}}"#),
            (#"{"a":{"b":1}}"#, "a=2", #"{"a":2}"#), (#"{"a":2}"#, "a.b=1", #"{"a":{"b":1}}"#),
            (#"{"a":2}"#, "a.b:=1", #"{"a":{"b":1}}"#), (#"{"a":2}"#, "a.b=null", #"{"a":2}"#),
        ])
    func applied(before: String, assignment: String, after: String) throws {
        let result = try Self.json(before).applying(Assignment(parsing: assignment))
        #expect(result.text == after)
    }

    @Test(
        "a difference has each changed value",
        arguments: [
            ("{}", "{}", []), ("{}", #"{"a":{"b":1}}"#, ["/a/b nil 1"]),
            (#"{"a":{"b":1,"c":[1]}}"#, #"{"a":{"b":2}}"#, ["/a/b 1 2", "/a/c [1] nil"]),
            (#"{"a":{"b":1}}"#, #"{"a":{}}"#, ["/a/b 1 nil", "/a nil {}"]),
            (#"{"a":1}"#, #"{"a":null,"b":0}"#, ["/a 1 null", "/b nil 0"]),
        ] as [(String, String, [String])])
    func differences(before: String, after: String, changes: [String]) throws {
        let difference = Difference(from: try Self.json(before), to: try Self.json(after))
        #expect(
            difference.changes.map {
                "\($0.pointer) \($0.old?.text ?? "nil") \($0.new?.text ?? "nil")"
            } == changes)
    }
}

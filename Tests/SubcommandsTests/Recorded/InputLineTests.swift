import Contract
import Testing

@testable import Subcommands

@Suite("lines of input")
struct InputLineTests {
    private static let topics = Topics(root: "r/s", site: "a", gateway: "b")

    @Test(
        "all three forms of a line have the message",
        arguments: [
            (#"{"v":1}"#, .sightings(Array(#"{"v":1}"#.utf8), from: nil)),
            (#"r/s/a/b/sightings {"v":1}"#, .sightings(Array(#"{"v":1}"#.utf8), from: topics)),
            (
                #"{"topic":"r/s/a/b/sightings","site":"a","gateway":"b","retained":false,"message":{"v":1}}"#,
                .sightings(Array(#"{"v":1}"#.utf8), from: topics)
            ),
            // Other programs write blanks, or sort the members.
            (
                #"{ "topic": "r/s/a/b/sightings", "retained": false, "message": {"v": 1} }"#,
                .sightings(Array(#"{"v":1}"#.utf8), from: topics)
            ),
            (
                #"{"message":{"v":1},"site":"a","topic":"r\/s\/a\/b\/sightings"}"#,
                .sightings(Array(#"{"v":1}"#.utf8), from: topics)
            ),
            (
                #"{"message":{"v":1},"\u0074opic":"r/s/a/b/sightings"}"#,
                .sightings(Array(#"{"v":1}"#.utf8), from: topics)
            ),
            // A topic that names no gateway.
            (#"b/sightings {"v":1}"#, .other),
            (
                #"{"topic":"a/b/health","site":"a","gateway":"b","retained":false,"message":{"v":1}}"#,
                .other
            ),
            (
                #"{"topic":"a/b/sightings"#,
                .sightings(Array(#"{"topic":"a/b/sightings"#.utf8), from: nil)
            ),
            ("a/b/status", .other), ("x", .invalid), ("  ", .blank),
        ] as [(String, InputLine)])
    func forms(text: String, line: InputLine) {
        #expect(InputLine(Array(text.utf8)[...]) == line)
    }
}

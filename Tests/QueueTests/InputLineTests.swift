import Testing

@testable import Queue

@Suite("lines of input")
struct InputLineTests {
    @Test(
        "all three forms of a line have the message",
        arguments: [
            (#"{"v":1}"#, .sightings(Array(#"{"v":1}"#.utf8))),
            (#"a/b/sightings {"v":1}"#, .sightings(Array(#"{"v":1}"#.utf8))),
            (
                #"{"topic":"a/b/sightings","site":"a","gateway":"b","retained":false,"message":{"v":1}}"#,
                .sightings(Array(#"{"v":1}"#.utf8))
            ),
            (
                #"{"topic":"a/b/health","site":"a","gateway":"b","retained":false,"message":{"v":1}}"#,
                .other
            ),
            (#"{"topic":"a/b/sightings"#, .sightings(Array(#"{"topic":"a/b/sightings"#.utf8))),
            ("a/b/status", .other), ("x", .invalid), ("  ", .blank),
        ] as [(String, InputLine)])
    func forms(text: String, line: InputLine) {
        #expect(InputLine(Array(text.utf8)[...]) == line)
    }
}

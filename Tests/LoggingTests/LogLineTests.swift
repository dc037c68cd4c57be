import Configuration
import Foundation
import Posix
import Testing

@testable import Logging

@Suite struct LogLineTests {
    private func line(
        _ message: String, _ fields: KeyValuePairs<String, Any> = [:],
        as format: LogSettings.Format, for reader: LogReader = .other
    ) -> String {
        LogLine(level: .warning, message: message, fields: fields).written(as: format, for: reader)
    }

    @Test("a text line has key=value fields, and quotes around values of several words")
    func text() {
        let text = line(
            "the radio is silent",
            ["adapter": "hci0", "waiting": 3, "reason": #"it "hangs""#, "nothing": ""],
            as: .text, for: .terminal)
        let expected =
            #"msg="the radio is silent" adapter=hci0 waiting=3 reason="it \"hangs\"" nothing="""#
        #expect(text == expected)
    }

    @Test("a JSON line has the fields as members, and numbers as numbers")
    func json() {
        let json = line(
            "connected",
            ["broker": "a:1", "waiting": 3, "size": UInt64.max, "ratio": 0.5, "ok": true],
            as: .json)
        let expected =
            #"{"priority":4,"level":"warning","message":"connected","broker":"a:1","waiting":3,"#
            + #""size":"18446744073709551615","ratio":0.5,"ok":true}"#
        #expect(json == expected)
    }

    @Test(
        "the priority prefix is on all journal lines, on no terminal line, and on other text lines")
    func priority() {
        for (reader, text, json) in [
            (LogReader.journal, "<4>msg=on", "<4>{"), (.terminal, "msg=on", "{"),
            (.other, "<4>msg=on", "{"),
        ] {
            #expect(line("on", as: .text, for: reader) == text)
            #expect(line("on", as: .json, for: reader).hasPrefix(json))
        }
    }

    @Test("with any bytes from a peer, a log line is one line of UTF-8 without control characters")
    func anyBytes() throws {
        var bytes = (0...255).map { UInt8($0) }
        bytes += Array("\u{2028}\u{85}e\u{301}😀\\".utf8)
        let said = String(decoding: bytes, as: UTF8.self)
        for format in LogSettings.Format.allCases {
            let line = line(said, ["said": said], as: format)
            let controls = line.unicodeScalars.filter {
                $0.value < 0x20 || (0x7f...0x9f).contains($0.value)
            }
            #expect(controls.isEmpty)
        }
        let data = Data(line(said, ["said": said], as: .json).utf8)
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        #expect(object?["message"] as? String == said)
        #expect(object?["said"] as? String == said)
    }

    @Test("a very long value is truncated")
    func longValues() {
        let long = String(repeating: "ä", count: 100_000)
        for format in LogSettings.Format.allCases {
            let line = line(long, ["path": long], as: format)
            #expect(line.utf8.count < 10_000)
            #expect(line.contains("ä…"))
        }
    }
}

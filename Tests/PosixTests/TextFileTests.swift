import Posix
import TestSupport
import TestVectors
import Testing

@Suite struct TextFileTests {
    private static func read(_ bytes: [UInt8], maxBytes: Int = 1000) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        return try TextFile.contents(of: folder.write(bytes, to: "text"), maxBytes: maxBytes)
    }

    @Test("a byte order mark is no part of the text")
    func mark() throws {
        #expect(try Self.read(hex("ef bb bf 61 0a")) == Array("a\n".utf8))
        #expect(try Self.read(hex("ef bb bf")) == [])
        #expect(try Self.read(hex("61 ef bb bf")) == hex("61 ef bb bf"))
        #expect(try Self.read(hex("ef bb bf 61 62 63"), maxBytes: 1) == Array("ab".utf8))
        #expect(try Self.read(hex("61 62 63 64 65"), maxBytes: 1) == Array("ab".utf8))
    }

    @Test("a text in another encoding of one byte is left to its reader")
    func latin() throws {
        #expect(try Self.read(hex("63 61 66 e9 0d 0a")) == hex("63 61 66 e9 0d 0a"))
    }

    @Test(
        "bytes that are no text, and UTF-16, are refused",
        arguments: [
            ("61 00 62", TextFile.Unreadable.notText), ("00 00 00 00", .notText),
            ("9f 8b 08 1b e1", .notText), ("ff fe 61 00", .utf16), ("fe ff 00 61", .utf16),
        ])
    func refused(bytes: String, fault: TextFile.Unreadable) {
        #expect(throws: fault) { try Self.read(hex(bytes)) }
    }

    @Test("a file that is missing has the system's words")
    func missing() {
        #expect(throws: TextFile.Unreadable.system(.noSuchFile)) {
            try TextFile.contents(of: "/nowhere/x", maxBytes: 1)
        }
        #expect("\(TextFile.Unreadable.system(.noSuchFile))" == "No such file or directory")
    }
}

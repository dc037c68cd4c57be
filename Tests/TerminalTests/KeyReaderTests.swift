import Terminal
import Testing

/// The sequences are those of xterm's control sequences ("PC-Style Function Keys"), the Linux console and rxvt.
@Suite("keys")
struct KeyReaderTests {
    @Test(
        "a sequence is a key",
        arguments: [
            ("\u{1b}[A", [.up]), ("\u{1b}OB", [.down]), ("\u{1b}[5~", [.pageUp]),
            ("\u{1b}[6~", [.pageDown]), ("\u{1b}[H", [.home]), ("\u{1b}[1~", [.home]),
            ("\u{1b}[7~", [.home]), ("\u{1b}OF", [.end]), ("\u{1b}[4~", [.end]),
            ("\u{1b}[1;5A", [.up]), ("\u{1b}[5;2~", [.pageUp]), ("\t", [.tab]),
            ("\u{1b}[Z", [.tab]), ("\r", [.enter]), ("\n", [.enter]), ("\u{7f}", [.backspace]),
            ("\u{8}", [.backspace]), ("\u{c}", [.refresh]),
            ("a/", [.character("a"), .character("/")]),
            // An unknown sequence, a character beyond ASCII, and NUL have no key.
            ("\u{1b}[15~x", [.character("x")]), ("ä\0q", [.character("q")]),
            ("\u{1b}\u{1b}[C", [.escape, .right]), ("\u{1b}q", [.escape, .character("q")]),
        ] as [(String, [Key])])
    func keys(bytes: String, keys: [Key]) {
        var reader = KeyReader()
        #expect(reader.on(bytes.utf8) == keys)
        #expect(!reader.isIncomplete)
        // The same over a slow link.
        #expect(bytes.utf8.flatMap { reader.on([$0]) } == keys)
    }

    @Test("an ESC alone is the Escape key after a pause")
    func escape() {
        var reader = KeyReader()
        #expect(reader.on([0x1b]) == [])
        #expect(reader.isIncomplete)
        #expect(reader.expire() == [.escape])
        #expect(reader.expire() == [])
        #expect(reader.on([UInt8(ascii: "a")]) == [.character("a")])
    }

    @Test("a sequence without an end does not swallow the keyboard")
    func endless() {
        var reader = KeyReader()
        _ = reader.on("\u{1b}[".utf8 + [UInt8](repeating: UInt8(ascii: ";"), count: 100))
        #expect(reader.on("q".utf8) == [.character("q")])
    }
}

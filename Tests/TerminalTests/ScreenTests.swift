import Terminal
import Testing

@Suite("parts of a screen")
struct ScreenTests {
    @Test("a frame sends only the lines that changed")
    func frames() {
        var screen = TerminalScreen()
        #expect(screen.opened().hasPrefix("\u{1b}[?1049h"))
        let first = screen.frame(["one", "two", "three"])
        #expect(first.contains("\u{1b}[2J"))
        #expect(first.contains("\u{1b}[2;1H\u{1b}[Ktwo"))
        #expect(screen.frame(["one", "two", "three"]).isEmpty)
        let second = screen.frame(["one", "2", "three"])
        #expect(second == "\u{1b}[?2026h\u{1b}[2;1H\u{1b}[K2\u{1b}[?2026l")
        // The rest of a longer frame goes.
        #expect(screen.frame(["one"]) == "\u{1b}[?2026h\u{1b}[2;1H\u{1b}[J\u{1b}[?2026l")
        screen.forget()
        #expect(screen.frame(["one"]).contains("\u{1b}[2J\u{1b}[1;1H\u{1b}[Kone"))
    }

    @Test("the selection follows its element, and the part that is shown follows the selection")
    func position() {
        var list = ["a", "b", "c", "d", "e"]
        var position = ListPosition<String>()
        #expect(position.index(in: list) == 0)
        #expect(position.shown(of: list, height: 3) == 0..<3)
        for _ in 0..<3 { position.move(by: 1, in: list, height: 3) }
        #expect(position.selected == "d")
        #expect(position.shown(of: list, height: 3) == 1..<4)
        position.move(by: -1, in: list, height: 3)
        #expect(position.shown(of: list, height: 3) == 1..<4)
        list.insert("0", at: 0)
        #expect(position.index(in: list) == 3)
        #expect(position.selected == "c")
        // The neighbour follows a removed element.
        list.removeAll { $0 == "c" }
        #expect(position.index(in: list) == 2)
        position.move(by: 100, in: list, height: 3)
        #expect(position.selected == "e")
        position.moveToStart()
        #expect(position.shown(of: list, height: 3) == 0..<3)
        position.moveToEnd(of: list, height: 3)
        #expect(position.shown(of: list, height: 3) == 2..<5)
        #expect(position.shown(of: ["x"], height: 3) == 0..<1)
        #expect(position.shown(of: [], height: 3).isEmpty)
        #expect(position.shown(of: list, height: -1).isEmpty)
    }

    @Test("the most important columns fit, each one whole, and spare width goes to wide ones")
    func columns() {
        let columns: [ScreenTable<Int>.Column] = [
            .left("NAME", 6, importance: 1) { .init("row \($0)") },
            .right("COUNT", 5, importance: 3) { .init("\($0)") },
            .wide(4...10, importance: 2, heading: { "<\($0)>" }) { _, width in
                .init(String(repeating: "#", count: width))
            },
        ]
        func lines(_ width: Int) -> [String] {
            let table = ScreenTable(columns, width: width)
            return [table.headings, table.line(7)].map {
                $0.text(width: width, colours: false, unicode: true)
            }
        }
        #expect(lines(5) == ["", ""])
        #expect(lines(11) == ["NAME", "row 7"])
        #expect(lines(12) == ["NAME    <4>", "row 7   ####"])
        #expect(lines(18) == ["NAME    <10>", "row 7   ##########"])
        #expect(lines(19) == ["NAME    COUNT  <4>", "row 7       7  ####"])
        #expect(lines(99) == ["NAME    COUNT  <10>", "row 7       7  ##########"])
    }

    @Test("a sparkline has the lowest and the highest block at the ends of its range")
    func sparkline() {
        let values: [Double?] = [-120, -100, -70, nil, -40, 0]
        #expect(Sparkline(-100 ... -40, unicode: true).text(values) == "▁▁▅ ██")
        #expect(Sparkline(-100 ... -40, unicode: false).text(values) == "__= ##")
        #expect(Sparkline(5...5, unicode: false).text([5]) == "#")
    }

    @Test("the scale names the ends of the bar", arguments: [8, 12, 24])
    func scale(width: Int) {
        let scale = SignalBar.scale(width: width)
        #expect(scale.count == width)
        #expect(scale.hasPrefix("-100"))
        #expect(scale.hasSuffix("-40"))
        let bar = SignalBar(width: width, unicode: false)
        #expect(bar.text(mean: -40, max: -40) == String(repeating: "#", count: width))
        #expect(bar.text(mean: -100, max: -100) == String(repeating: " ", count: width))
    }

    @Test("a line that does not fit ends with a mark, spaces at its end do not count")
    func clippedLine() {
        func text(_ text: String, _ width: Int, unicode: Bool = true) -> String {
            var line = StyledLine(String(text.prefix(3)), .bold)
            line.append(String(text.dropFirst(3)))
            return line.text(width: width, colours: false, unicode: unicode)
        }
        #expect(text("abcdef", 6) == "abcdef")
        #expect(text("abcdef", 5) == "abcd…")
        #expect(text("abcdef", 3) == "ab…")
        #expect(text("abcdef", 1) == "…" && text("abcdef", 0) == "")
        #expect(text("abc    ", 4) == "abc")
        #expect(text("abcdef", 5, unicode: false) == "abcd>")
        #expect(text("a…–éef", 6, unicode: false) == "a>-?ef")
        var coloured = StyledLine("abc", .bad)
        coloured.append("def", .good)
        #expect(
            coloured.text(width: 4, colours: true, unicode: true)
                == "\u{1b}[1;31mabc\u{1b}[0m\u{1b}[32m…\u{1b}[0m")
    }

    @Test("a cell that does not fit its column ends with a mark")
    func clippedCell() {
        let table = ScreenTable<String>([.left("N", 4, importance: 1) { .init($0) }], width: 10)
        let texts = ["four", "fives"].map {
            table.line($0).text(width: 10, colours: false, unicode: true)
        }
        #expect(texts == ["four", "fiv…"])
    }

    @Test("text is broken at spaces, and keeps its indentation")
    func wrapping() {
        #expect("  one  two".wrapped(to: 10) == ["  one  two"])
        #expect("  one two three".wrapped(to: 10) == ["  one two", "    three"])
        #expect("one two three".wrapped(to: 7) == ["one two", "three"])
        #expect("incompressible".wrapped(to: 4) == ["incompressible"])
        #expect("".wrapped(to: 0) == [""] && " ".wrapped(to: 0) == [])
    }

    @Test("a filter has all its words in any case; Enter keeps it, Esc removes it")
    func filter() {
        var filter = ListFilter()
        filter.beginTyping()
        let changes = "Till dex".map { filter.on(.character($0)) }
        #expect(changes.allSatisfy { $0 })
        let isShorter = filter.on(.backspace)
        #expect(isShorter && filter.matches("store/TILL-1 deaf") && !filter.matches("till"))
        let isChanged = filter.on(.enter)
        #expect(!isChanged && !filter.isTyping && filter.text == "Till de")
        filter.beginTyping()
        let isRemoved = filter.on(.escape)
        #expect(isRemoved && !filter.isTyping && filter.matches(""))
    }
}

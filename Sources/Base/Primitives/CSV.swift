/// A comma-separated table (RFC 4180). All kinds of line ends are accepted, and the semicolons that spreadsheets write where
/// a comma is the decimal sign.
package struct CSV: Equatable {
    package struct Record: Equatable {
        /// The first line, counted from 1.
        package let line: Int
        package let cells: [String]
        /// Its place in the text, without the line's end.
        package let bytes: Range<Int>
    }

    /// A fault and its line: one sentence, without a full stop.
    package struct Fault: Error, Equatable {
        package let line: Int
        package let sentence: String
    }

    /// The records with at least one cell that is not empty.
    package private(set) var records: [Record] = []
    package let separator: Character

    private static let quote = UInt8(ascii: "\"")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    package init(_ bytes: [UInt8]) throws(Fault) {
        var rest = bytes[...]
        let header = rest.prefix { $0 != Self.lineFeed && $0 != Self.carriageReturn }
        let hasSemicolons =
            !header.contains(UInt8(ascii: ",")) && header.contains(UInt8(ascii: ";"))
        separator = hasSemicolons ? ";" : ","
        let comma = UInt8(ascii: hasSemicolons ? ";" : ",")
        var line = 1
        while !rest.isEmpty {
            let (start, begin) = (line, rest.startIndex)
            var cells: [String] = []
            var isEnd = false
            while !isEnd {
                cells.append(try Self.cell(&rest, comma, &line))
                isEnd = rest.first != comma
                if !isEnd { rest = rest.dropFirst() }
            }
            let end = rest.startIndex
            Self.endLine(&rest, &line)
            if cells.contains(where: { !$0.isEmpty }) {
                records.append(Record(line: start, cells: cells, bytes: begin..<end))
            }
        }
    }

    private static func cell(
        _ rest: inout ArraySlice<UInt8>, _ comma: UInt8, _ line: inout Int
    ) throws(Fault) -> String {
        let start = line
        var bytes: [UInt8] = []
        if rest.first == quote {
            rest = rest.dropFirst()
            var isClosed = false
            while let byte = rest.popFirst() {
                if byte != quote {
                    if byte == lineFeed || byte == carriageReturn && rest.first != lineFeed {
                        line += 1
                    }
                    bytes.append(byte)
                } else if rest.first == quote {
                    bytes.append(quote)
                    rest = rest.dropFirst()
                } else {
                    isClosed = true
                    break
                }
            }
            guard isClosed else {
                throw Fault(line: start, sentence: "a quote is opened and never closed")
            }
            if let next = rest.first, next != comma, next != lineFeed, next != carriageReturn {
                throw Fault(
                    line: line, sentence: "text behind a closing quote; a quote within is doubled")
            }
        } else {
            bytes = Array(
                rest.prefix { $0 != comma && $0 != lineFeed && $0 != carriageReturn })
            rest = rest.dropFirst(bytes.count)
            if bytes.contains(quote) {
                throw Fault(
                    line: line,
                    sentence: "a quote in the middle of a cell; put the whole cell in quotes, and"
                        + " double those within")
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Fault(line: start, sentence: "this is not UTF-8")
        }
        return text
    }

    private static func endLine(_ rest: inout ArraySlice<UInt8>, _ line: inout Int) {
        guard let byte = rest.popFirst() else { return }
        line += 1
        if byte == carriageReturn, rest.first == lineFeed { rest = rest.dropFirst() }
    }
}

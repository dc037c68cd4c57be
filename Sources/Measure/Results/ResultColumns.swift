import JSON
import Primitives

/// A cell of the tables of a program (RFC 4180). A value that is not known is empty.
extension ResultField {
    package var title: String { path.joined(separator: ".") }

    package func historyCell(_ document: JSON) -> String {
        switch value(in: document) {
        case nil, .null: ""
        case .string(let text): text
        case .array(let elements): elements.map(historyText).joined(separator: "; ")
        case .some(let value): value.text
        }
    }

    /// The values of an element: `till-1 deaf 60000`.
    private func historyText(_ element: JSON) -> String {
        part.elementParts.compactMap { part in
            if case .string(let text)? = element[part.name] { return text }
            return element[part.name]?.text
        }.joined(separator: " ")
    }
}

extension ResultKind {
    /// The documents of present states as a table (RFC 4180): a line for each, with all members that are no objects.
    package func table(of documents: [JSON]) -> String {
        let fields = parts.fields
        let rows =
            [fields.map(\.title)] + documents.map { one in fields.map { $0.historyCell(one) } }
        return rows.map { $0.map(Self.quoted).joined(separator: ",") + "\r\n" }.joined()
    }

    private static func quoted(_ cell: String) -> String {
        let isPlain = cell.utf8.allSatisfy { !Array(",\"\r\n".utf8).contains($0) }
        return isPlain ? cell : "\"" + cell.replacing("\"", with: "\"\"") + "\""
    }
}

/// A cell of a table of the present, for people: `6 (4 to 9)`. What is not known is `unknown`, and never 0.
extension ResultField {
    private static let unknown = "unknown"
    private static let longest = 200

    /// Of a column: times are texts there.
    package var isNumber: Bool {
        if case .number = part.type { part.unit != .time } else { false }
    }

    /// - Parameter clock: shows a time.
    package func cell(
        _ column: ResultPart.Column, of document: JSON, clock: (UnixTime) -> String
    ) -> String {
        guard let value = value(in: document), value != .null else {
            if case .list = part.type { return "" }
            return column.none
        }
        if case .array(let elements) = value {
            return elements.map { text($0, end: column.end) }.joined(separator: ", ")
                .printable(limit: Self.longest)
        }
        let low = self.value(beside: column.low, in: document)
        let high = self.value(beside: column.high, in: document)
        if part.unit == .time, case .integer(let time) = value {
            return clock(UnixTime(milliseconds: time))
        }
        let whole = self.value(beside: column.whole, in: document)
        return text(value)
            + (column.low == nil ? "" : " (\(text(low)) to \(text(high)))")
            + (column.whole == nil ? "" : " of \(text(whole))")
    }

    private func text(_ value: JSON?) -> String {
        switch (part.unit, value) {
        case (.milliseconds, .integer(let number)): Duration.milliseconds(number).text
        case (.milliseconds, _): Self.unknown
        case (.percent, .number(let number)): Self.whole(number) + " %"
        case (_, .number(let number)): Self.whole(number)
        default: Self.word(value)
        }
    }

    private static func whole(_ number: Double) -> String {
        "\(Int64(min(max(number, -1e6), 1e6).rounded()))"
    }

    private static func word(_ value: JSON?) -> String {
        switch value {
        case .string(let text): text.printable(limit: longest)
        case .integer(let number): "\(number)"
        default: unknown
        }
    }

    /// The words of an element: `till-1 deaf (over)`.
    private func text(_ element: JSON, end: String?) -> String {
        let words = part.elementParts.filter(\.type.isWord).map { Self.word(element[$0.name]) }
        let isOver = end.map { (element[$0] ?? .null) != .null } ?? false
        return words.joined(separator: " ") + (isOver ? " (over)" : "")
    }
}

extension ResultPart {
    /// The members of a list's elements.
    fileprivate var elementParts: [ResultPart] {
        if case .list(.object(let parts)) = type { parts } else { [] }
    }
}

extension ResultType {
    fileprivate var isWord: Bool {
        switch self {
        case .words, .text, .reference: true
        default: false
        }
    }
}

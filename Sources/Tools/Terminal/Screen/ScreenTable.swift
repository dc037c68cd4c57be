import Primitives

/// The columns of a table that fit a screen, the most important ones first and each one whole.
package struct ScreenTable<Row> {
    package struct Column {
        /// By the column's width, for a scale.
        let heading: (Int) -> String
        let widths: ClosedRange<Int>
        let isRightAligned: Bool
        /// 1 is the most important.
        let importance: Int
        let cell: (Row, Int) -> StyledLine.Piece

        /// - Parameter cell: the text of a row, at most as wide as the column.
        package static func left(
            _ heading: String, _ width: Int, importance: Int,
            _ cell: @escaping (Row) -> StyledLine.Piece
        ) -> Column {
            Column(
                heading: { _ in heading }, widths: width...width, isRightAligned: false,
                importance: importance, cell: { row, _ in cell(row) })
        }

        package static func right(
            _ heading: String, _ width: Int, importance: Int,
            _ cell: @escaping (Row) -> StyledLine.Piece
        ) -> Column {
            Column(
                heading: { _ in heading }, widths: width...width, isRightAligned: true,
                importance: importance, cell: { row, _ in cell(row) })
        }

        /// A column that takes spare width, such as a bar with its scale.
        package static func wide(
            _ widths: ClosedRange<Int>, importance: Int, heading: @escaping (Int) -> String,
            _ cell: @escaping (Row, Int) -> StyledLine.Piece
        ) -> Column {
            Column(
                heading: heading, widths: widths, isRightAligned: false, importance: importance,
                cell: cell)
        }
    }

    private let columns: [(column: Column, width: Int)]

    private static var gap: Int { 2 }

    /// - Parameter columns: in their order on the screen.
    package init(_ columns: [Column], width: Int) {
        let ranked = columns.indices.sorted { columns[$0].importance < columns[$1].importance }
        var left = width + Self.gap
        let fitting = ranked.prefix { index in
            left -= columns[index].widths.lowerBound + Self.gap
            return left >= 0
        }
        // The first column that does not fit took its width too.
        if fitting.count < ranked.count {
            left += columns[ranked[fitting.count]].widths.lowerBound + Self.gap
        }
        var widths: [Int: Int] = [:]
        for index in fitting {
            let range = columns[index].widths
            let more = min(max(0, left), range.upperBound - range.lowerBound)
            widths[index] = range.lowerBound + more
            left -= more
        }
        self.columns = columns.indices.compactMap { index in
            widths[index].map { (columns[index], $0) }
        }
    }

    package var headings: StyledLine {
        line { column, width in StyledLine.Piece(column.heading(width), .faint) }
    }

    package func line(_ row: Row) -> StyledLine { line { $0.cell(row, $1) } }

    private func line(_ cell: (Column, Int) -> StyledLine.Piece) -> StyledLine {
        var line = StyledLine()
        for (index, (column, width)) in columns.enumerated() {
            if index > 0 { line.append(String(repeating: " ", count: Self.gap)) }
            let piece = cell(column, width)
            let text = piece.text.clipped(width)
            line.append(
                column.isRightAligned ? text.rightAligned(width) : text.padded(width), piece.style)
        }
        return line
    }
}

/// The selected element of a list that changes, and the part of the list that a screen shows.
///
/// The selection follows its element. Without one, the first element is selected, and the list stays at its top.
package struct ListPosition<ID: Hashable> {
    package private(set) var selected: ID?
    /// The index of the selected element when it was last seen.
    private var index = 0
    /// The first element that is shown.
    private var first = 0

    package init() {}

    /// The index of the selection; `nil` in an empty list. The neighbour follows a removed element.
    package func index(in list: [ID]) -> Int? {
        guard !list.isEmpty else { return nil }
        guard let selected else { return 0 }
        return list.firstIndex(of: selected) ?? min(index, list.count - 1)
    }

    /// Moves the selection by `steps`.
    package mutating func move(by steps: Int, in list: [ID], height: Int) {
        guard let present = index(in: list) else { return }
        select(min(max(0, present + steps), list.count - 1), in: list, height: height)
    }

    package mutating func moveToStart() { self = ListPosition() }

    package mutating func moveToEnd(of list: [ID], height: Int) {
        if !list.isEmpty { select(list.count - 1, in: list, height: height) }
    }

    /// The elements that fit `height` lines, with the selected one.
    package func shown(of list: [ID], height: Int) -> Range<Int> {
        let height = min(max(0, height), list.count)
        guard height > 0, let selected = index(in: list) else { return 0..<0 }
        var start = min(first, list.count - height)
        if selected < start { start = selected }
        if selected >= start + height { start = selected - height + 1 }
        return start..<start + height
    }

    private mutating func select(_ new: Int, in list: [ID], height: Int) {
        index = new
        selected = new == 0 ? nil : list[new]
        first = shown(of: list, height: height).lowerBound
    }
}

/// The words by which an operator filters a list, and their typing after `/`.
package struct ListFilter {
    package private(set) var text = ""
    package private(set) var isTyping = false

    package init() {}

    package mutating func beginTyping() { isTyping = true }

    package mutating func clear() { text = "" }

    /// Takes a key while one types. Enter keeps the filter, Escape removes it.
    ///
    /// - Returns: whether the filter has changed.
    package mutating func on(_ key: Key) -> Bool {
        let before = text
        switch key {
        case .character(let character): text.append(character)
        case .backspace: _ = text.popLast()
        case .escape: text = ""
        default: break
        }
        if key == .enter || key == .escape { isTyping = false }
        return text != before
    }

    /// Whether `text` contains each word of the filter, in any case.
    package func matches(_ text: String) -> Bool {
        let text = text.lowercased()
        return self.text.lowercased().split(separator: " ").allSatisfy { text.contains($0) }
    }
}

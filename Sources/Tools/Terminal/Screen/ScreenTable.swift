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

import Primitives

/// Rows under headings. A column is as wide as its widest cell.
package struct TextTable {
    package struct Column {
        package let heading: String
        package let isRightAligned: Bool

        package static func left(_ heading: String) -> Column {
            Column(heading: heading, isRightAligned: false)
        }
        package static func right(_ heading: String) -> Column {
            Column(heading: heading, isRightAligned: true)
        }
    }

    package let columns: [Column]
    package var rows: [[String]] = []

    package init(_ columns: [Column]) { self.columns = columns }

    /// The headings and the rows, with two spaces between columns and none at the end of a line.
    package var lines: [String] {
        let all = [columns.map(\.heading)] + rows
        let widths = columns.indices.map { column in
            all.reduce(0) { max($0, column < $1.count ? $1[column].count : 0) }
        }
        return all.map { row in
            let cells = zip(zip(columns, widths), row).map { layout, cell in
                layout.0.isRightAligned ? cell.rightAligned(layout.1) : cell.padded(layout.1)
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}

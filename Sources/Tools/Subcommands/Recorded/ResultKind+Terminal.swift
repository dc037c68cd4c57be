import JSON
import Posix
import Primitives
import Results
import Terminal

/// The columns that a kind declares for a terminal.
extension ResultKind {
    /// A table of them, behind the columns that name its rows.
    func terminalTable(_ names: [String], rows: [[String]]) -> TextTable {
        var table = TextTable(
            names.map { .left($0) }
                + terminalColumns.map { $0.field.isNumber ? .right($0.title) : .left($0.title) })
        table.rows = rows
        return table
    }

    func terminalCells(
        of document: JSON, clock: (UnixTime) -> String = { LocalDay.clockTime(of: $0) }
    ) -> [String] {
        terminalColumns.map { $0.field.cell($0.column, of: document, clock: clock) }
    }

    private var terminalColumns: [(title: String, field: ResultField, column: ResultPart.Column)] {
        columns.compactMap { field, column in column.short.map { ($0, field, column) } }
    }
}

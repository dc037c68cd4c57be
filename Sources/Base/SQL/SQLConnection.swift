import Primitives

/// A connection to a database, as statements use it that every engine understands.
///
/// Their parameters are `$1`, `$2`, …, in the order in which the text first has them. Words that an engine reserves are quoted.
package protocol SQLConnection: AnyObject {
    associatedtype Failure: Error
    associatedtype Row: SQLRow

    /// Runs one statement and gives each row of the result to `visit`.
    func query(
        _ text: String, _ values: [SQLValue], visit: (Row) -> Void
    ) throws(Failure)

    /// The failure of a statement that has no row where it must have one.
    static func missingRow() -> Failure
}

/// A row of a result. It is valid only inside `visit`.
package protocol SQLRow {
    func integer(_ column: CInt) -> Int64
    func text(_ column: CInt) -> String
    func bytes(_ column: CInt) -> [UInt8]
    func isNull(_ column: CInt) -> Bool
}

/// A value of a column, or a bound parameter of a statement.
package enum SQLValue: Hashable, Sendable {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    /// Tables have times in milliseconds since the epoch.
    package static func time(_ time: UnixTime) -> SQLValue { .integer(time.milliseconds) }
}

extension SQLRow {
    package func time(_ column: CInt) -> UnixTime { UnixTime(milliseconds: integer(column)) }
}

extension SQLConnection {
    /// Runs one statement without results.
    package func run(_ text: String, _ values: [SQLValue]) throws(Failure) {
        try query(text, values) { _ in }
    }

    /// The first column of the first row as a number; `nil` without a row, or if it is NULL.
    package func number(_ text: String, _ values: [SQLValue] = []) throws(Failure) -> Int64? {
        var number: Int64?
        try query(text, values) { row in
            number = number ?? (row.isNull(0) ? nil : row.integer(0))
        }
        return number
    }
}

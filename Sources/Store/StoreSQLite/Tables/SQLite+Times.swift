import Primitives
import ResultStore
import SQLite

// Tables have times in milliseconds since the epoch.

extension SQLiteDatabase.Value {
    static func time(_ time: UnixTime) -> SQLiteDatabase.Value { .integer(time.milliseconds) }
}

extension SQLiteDatabase.Row {
    func time(_ column: CInt) -> UnixTime { UnixTime(milliseconds: integer(column)) }
}

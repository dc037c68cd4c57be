import Primitives

/// What the store holds: rows by table with their times, and the files.
package struct StoreInventory: Equatable, Sendable {
    package struct Table: Equatable, Sendable {
        package let name: String
        /// What its rows are; `nil` for a table that this version does not know.
        package let content: String?
        package let kept: RetentionRule?
        package let rows: Int
        /// The oldest and the newest time; `nil` for a table without times or rows.
        package let times: ClosedRange<UnixTime>?

        package init(
            name: String, content: String?, kept: RetentionRule?, rows: Int,
            times: ClosedRange<UnixTime>?
        ) {
            self.name = name
            self.content = content
            self.kept = kept
            self.rows = rows
            self.times = times
        }
    }

    package struct File: Equatable, Sendable {
        package let path: String
        package let bytes: Int64
        /// Whether it keeps its rows until it is erased.
        package let isSetAside: Bool

        package init(path: String, bytes: Int64, isSetAside: Bool) {
            self.path = path
            self.bytes = bytes
            self.isSetAside = isSetAside
        }
    }

    package let tables: [Table]
    /// The store's file with its log, and files that were set aside.
    package let files: [File]

    package init(tables: [Table], files: [File]) {
        self.tables = tables
        self.files = files
    }
}

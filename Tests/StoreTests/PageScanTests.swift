import Foundation
import Posix
import SQLite
import TestSupport
import Testing

@testable import ResultStore
@testable import StoreSQLite

@Suite("scan of a damaged file's pages")
struct PageScanTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("file.sqlite") }

    private static let page = 4096

    init() throws { folder = try TemporaryFolder() }

    /// A table with 200 rows of 500 bytes.
    private func database() throws -> SQLiteDatabase {
        let database = try SQLiteDatabase(path: path)
        try database.run(
            """
            PRAGMA page_size=\(Self.page); PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL;
            PRAGMA wal_autocheckpoint=0; CREATE TABLE t(id INTEGER PRIMARY KEY, old INTEGER, body BLOB);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i+1 FROM n WHERE i<200)
            INSERT INTO t SELECT i, 1, zeroblob(500) FROM n;
            PRAGMA wal_checkpoint(TRUNCATE);
            """)
        return database
    }

    /// Of each row, the first value of the second column that the scan has found.
    private func found() throws -> [Int64: Int64] {
        var found: [Int64: Int64] = [:]
        let scan = try PageScan(path: path, pageSize: Self.page)
        scan.rows(of: "t") { row, _ in
            guard let id = row.id, case .integer(let old) = row.values[1] else { return }
            found[id] = found[id] ?? old
        }
        return found
    }

    @Test("pages that can't be read any more are left out, and the process goes on")
    func unreadable() throws {
        let database = try database()
        database.close()
        let count = try found().count
        #expect(count == 200)
        let scan = try PageScan(path: path, pageSize: Self.page)
        try #require(truncate(path, off_t(8 * Self.page + 100)) == 0)
        var rows = 0
        scan.rows(of: "t") { _, _ in rows += 1 }
        #expect((1..<100).contains(rows))
    }

    @Test("rows of the table win over their older states in unused pages")
    func olderState() throws {
        try database().close()
        let old = try Data(contentsOf: URL(fileURLWithPath: path))
        let database = try SQLiteDatabase(path: path)
        // An older page then begins before the page of the table.
        try database.run("UPDATE t SET old=0; DELETE FROM t WHERE id%7=1")
        let count = try database.number("SELECT count(*) FROM t")
        database.close()
        let leaves = stride(from: 0, to: old.count, by: Self.page).filter { old[$0] == 13 }
        #expect(leaves.count > 20)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        for leaf in leaves {
            try file.seekToEnd()
            try file.write(contentsOf: old[leaf..<leaf + Self.page])
        }
        try file.close()
        let found = try found()
        #expect(found.count == 200)
        #expect(found.values.count { $0 == 0 } == Int(try #require(count)))
    }

    @Test("pages behind the end of the database do not count")
    func behindTheEnd() throws {
        let database = try database()
        defer { database.close() }
        try database.run(
            "PRAGMA secure_delete=OFF; DELETE FROM t WHERE id>50; PRAGMA incremental_vacuum;")
        let pages = try #require(try database.number("PRAGMA page_count"))
        #expect(try #require(File.size(path)) > pages * Int64(Self.page))
        #expect(try found().count == 50)
    }

    @Test("a damaged file that can't be read is not replaced by an empty one")
    func noFile() throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false)
        let recovery = StoreRecovery(
            file: StoreFile(path: path, schema: .current, merge: addNumbers))
        let result = try recovery.begin().result(within: .seconds(60))
        let failure = #expect(throws: StoreFailure.self) { try result?.get() }
        #expect(failure?.cause == .unavailable)
    }
}

import Facts
import Primitives
import Queueing
import ResultStore
import SQLite

extension StoreDatabase {
    /// The tills' own counts of a queue with times in `range`, in the order of time.
    func receipts(
        of queue: String, at site: String, in range: Range<UnixTime>
    ) throws(SQLiteError) -> [Receipt] {
        guard let queue = try known(queue, site) else { return [] }
        var receipts: [Receipt] = []
        try connection.query(
            "SELECT till,count,at FROM receipts WHERE queue=? AND at>=? AND at<? ORDER BY at,till",
            [.integer(queue), .time(range.lowerBound), .time(range.upperBound)]
        ) { row in
            receipts.append(
                Receipt(
                    till: row.text(0), count: row.integer(1),
                    at: UnixSecond(containing: row.time(2))))
        }
        return receipts
    }
}

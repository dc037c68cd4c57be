import SQLite
import Sightings

extension DatabaseStore {
    /// Reads the rows of a corrupt file's intact pages in their order.
    static func scan(
        _ path: String, claimed: Int64?, visit: (RecoveredRow) -> Void
    ) -> RecoveryScan? {
        // Open before and after the connection: to close the file would end the locks of this process on it (fcntl(2)).
        guard let pages = try? PageScan(path: path, pageSize: page),
            let database = try? SQLiteDatabase(path: path, .salvage),
            // SQLite refuses a page for one damaged cell, unless the check is off. The checksums protect each row.
            (try? database.run(
                """
                PRAGMA locking_mode=EXCLUSIVE; PRAGMA cell_size_check=OFF; PRAGMA cache_size=-512;
                PRAGMA temp_store=MEMORY;
                """)) != nil
        else { return nil }
        defer { database.close() }
        func number(_ text: String) -> Int64? { (try? database.number(text)) ?? nil }
        var scan = RecoveryScan()
        scan.count = number("SELECT count(*) FROM parcels").map { Int(clamping: $0) }
        let highest = number("SELECT seq FROM sqlite_sequence WHERE name='parcels'")
        let stored = number("SELECT max(id) FROM claimed")
        let claimed = claimed ?? stored.flatMap { 0 <= $0 && $0 <= highest ?? -1 ? $0 : nil }
        pages.rows(of: "parcels") { row, _ in
            guard let id = row.id, row.values.count == 3,
                case .bytes(let head) = row.values[1], case .bytes(let body) = row.values[2]
            else { return }
            let found = RecoveredRow(
                id: id, header: try? BatchHeader(decoding: head),
                stored: try? StoredBatch(decoding: body), claimed: claimed)
            if let found { visit(found) }
        }
        let isComplete: Void? = try? database.query("SELECT body FROM losses") { row in
            if let (session, loss) = try? Loss.decoding(row.bytes(0)) {
                scan.losses[session] = loss
            } else {
                scan.knowsLosses = false
            }
        }
        if isComplete == nil { scan.knowsLosses = false }
        return scan
    }
}

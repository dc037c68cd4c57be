import Beacon
import Sighting

/// A damaged SQLite file, opened to look for rows.
final class DatabaseWreck: Wreck {
    private let database: Database

    init?(path: String) {
        do throws(StoreFailure) {
            database = try Database(wreck: path)
            // Not refusing a page for one cell: each row is believed for its seal alone.
            try database.run(
                """
                PRAGMA locking_mode=EXCLUSIVE; PRAGMA cell_size_check=OFF; PRAGMA cache_size=-512;
                PRAGMA temp_store=MEMORY;
                """)
        } catch {
            return nil
        }
    }

    func close() { database.close() }

    private(set) lazy var count: Int? = number("SELECT count(*) FROM parcels")
        .map { Int(clamping: $0) }

    private(set) lazy var claimed: Int64? = {
        guard let claimed = number("SELECT max(id) FROM claimed"), claimed >= 0,
            let highest, claimed <= highest
        else { return nil }
        return claimed
    }()

    /// The highest place that was ever given.
    private lazy var highest = number("SELECT seq FROM sqlite_sequence WHERE name='parcels'")

    private func number(_ text: String) -> Int64? {
        let answers = try? database.query(text) { $0.isNull(0) ? nil : $0.integer(0) }
        return answers?.first ?? nil
    }

    func ids() -> [Int64] {
        RowSearch.ids(highest: highest) { [database] start, isDescending, limit in
            let order = isDescending ? "<? ORDER BY id DESC" : ">? ORDER BY id"
            return database.readable(
                "SELECT id FROM parcels WHERE id\(order) LIMIT ?",
                [.integer(start), .integer(Int64(clamping: limit))]
            ) { $0.integer(0) }
        }
    }

    func parcel(_ id: Int64) -> (parcel: Parcel, isFrozen: Bool)? {
        guard
            let row = try? database.query(
                "SELECT frozen,deaf,body FROM parcels WHERE id=?", [.integer(id)],
                row: { ($0.integer(0) != 0 || Row.saysFrozen($0.integer(1)), $0.bytes(2)) }
            ).first, let parcel = try? Parcel(decoding: row.1)
        else { return nil }
        return (parcel, row.0)
    }

    func losses() -> [String: Loss] {
        let all =
            try? database.query("SELECT session,batches,first,last,reason FROM losses") {
                DatabaseStore.loss($0)
            }
        return Dictionary(all ?? []) { first, _ in first }.filter { _, loss in
            loss.batches > 0 && loss.fromSeq <= loss.toSeq
                && loss.batches - 1 <= loss.toSeq - loss.fromSeq
        }
    }
}

import Beacons
import Sightings

/// A damaged SQLite file, opened to look for rows.
final class DatabaseWreck: Wreck {
    private let database: Database
    /// Whether each page is there in its latest state, or not at all.
    private let isCertain: Bool

    init?(path: String, isCertain: Bool = true) {
        self.isCertain = isCertain
        do throws(StoreFailure) {
            database = try Database(wreck: path)
            // Not refusing a page for one cell: each row is believed for its seals alone.
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

    private(set) lazy var count: Int? =
        isCertain ? number("SELECT count(*) FROM parcels").map { Int(clamping: $0) } : nil

    private(set) lazy var claimed: Int64? = {
        guard isCertain, let claimed = number("SELECT max(id) FROM claimed"), claimed >= 0,
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

    func each(_ show: (Remnant) -> Void) {
        // As they lie: what stands out of its order is found by no search.
        var shown: Set<Int64> = []
        let isWhole = database.visit("SELECT id,head,body FROM parcels") { row in
            let place = row.integer(0)
            guard let found = Remnant(place: place, head: row.bytes(1), body: row.bytes(2))
            else { return }
            shown.insert(place)
            show(found)
        }
        guard !isWhole else { return }
        for place in places() where !shown.contains(place) {
            if let found = remnant(at: place) { show(found) }
        }
    }

    private func places() -> [Int64] {
        RowSearch.ids(highest: highest) { [database] start, isDescending, limit in
            let order = isDescending ? "<? ORDER BY id DESC" : ">? ORDER BY id"
            var places: [Int64] = []
            let isWhole = database.visit(
                "SELECT id FROM parcels WHERE id\(order) LIMIT ?",
                [.integer(start), .integer(Int64(clamping: limit))]
            ) { places.append($0.integer(0)) }
            return (places, isWhole)
        }
    }

    private func remnant(at place: Int64) -> Remnant? {
        // One by one: a body's pages may be gone where its head is not.
        Remnant(place: place, head: bytes("head", at: place), body: bytes("body", at: place))
    }

    private func bytes(_ column: String, at place: Int64) -> [UInt8] {
        let found = try? database.query(
            "SELECT \(column) FROM parcels WHERE id=?", [.integer(place)]
        ) { $0.bytes(0) }
        return found?.first ?? []
    }

    func losses() -> (losses: [String: Loss], isWhole: Bool) {
        var losses: [String: Loss] = [:]
        var areWhole = true
        let isWhole = database.visit("SELECT body FROM losses") { row in
            guard let (session, loss) = try? Loss.decoding(row.bytes(0)) else {
                areWhole = false
                return
            }
            losses[session] = loss
        }
        return (losses, isWhole && areWhole && isCertain)
    }
}

import Sightings

/// A store in memory. It replaces the disk while the disk does not work, and never fails.
package final class MemoryStore: BatchStore {
    struct Contents {
        var rows: [(header: BatchHeader, body: [UInt8])] = []
        var lastID: Int64 = 0
        var losses: [String: Loss] = [:]
        var bytes = 0
        var claimed: Int64 = 0
    }

    var contents = Contents()

    package init() {}

    package var count: Int { contents.rows.count }
    package var bytes: Int { contents.bytes }
    package var claimed: Int64 { contents.claimed }

    package func begin() {}
    package func commit() {}
    package func rollback() {}
    package func close() {}
    package func limit(to maxBytes: Int) {}

    package func append(_ header: BatchHeader, _ body: [UInt8]) -> Int64 {
        contents.lastID += 1
        contents.rows.append((header.with(id: contents.lastID), body))
        contents.bytes += BatchHeader.cost(ofBody: body.count)
        return contents.lastID
    }

    package func headers(after id: Int64, limit: Int) -> [BatchHeader] {
        contents.rows[index(after: id)...].prefix(max(0, limit)).map(\.header)
    }

    package func body(of id: Int64) -> [UInt8]? { index(of: id).map { contents.rows[$0].body } }

    package func replace(_ id: Int64, _ header: BatchHeader, _ body: [UInt8]) {
        guard let index = index(of: id) else { return }
        let before = contents.rows[index].body.count
        contents.bytes += BatchHeader.cost(ofBody: body.count) - BatchHeader.cost(ofBody: before)
        contents.rows[index] = (header.with(id: id), body)
    }

    package func remove(_ ids: [Int64]) {
        let ids = Set(ids)
        var freed = 0
        let removes = { (row: (header: BatchHeader, body: [UInt8])) -> Bool in
            guard ids.contains(row.header.id) else { return false }
            freed += BatchHeader.cost(ofBody: row.body.count)
            return true
        }
        // Most removed rows are the oldest. Only other ones need a search.
        let oldest = contents.rows.prefix(while: removes).count
        contents.rows.removeFirst(oldest)
        if oldest < ids.count { contents.rows.removeAll(where: removes) }
        contents.bytes -= freed
    }

    package func claim(upTo id: Int64) { contents.claimed = max(contents.claimed, id) }

    package func losses() -> [String: Loss] { contents.losses }

    package func set(_ losses: [String: Loss]) { contents.losses = losses }

    private func index(of id: Int64) -> Int? {
        let index = index(after: id - 1)
        return index < count && contents.rows[index].header.id == id ? index : nil
    }

    /// The index of the first row behind row `id`.
    private func index(after id: Int64) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if contents.rows[middle].header.id > id { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

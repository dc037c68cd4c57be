import Sightings

/// A store that lasts as long as its process, for when there is no disk.
package final class MemoryStore: Store {
    private struct Kept {
        var row: Row
        var body: [UInt8]
    }

    private var kept: [Kept] = []
    private var lastID: Int64 = 0
    private var keptLosses: [String: Loss] = [:]
    package private(set) var bytes = 0
    package private(set) var claimed: Int64 = 0
    /// Nothing here fails: only who pretends to be a disk has something to go back to.
    private let canRollBack: Bool
    /// What `rollback` goes back to.
    private var before: (kept: [Kept], losses: [String: Loss], bytes: Int, claimed: Int64)?

    package init(canRollBack: Bool = false) { self.canRollBack = canRollBack }

    package var count: Int { kept.count }

    package func begin() {
        guard canRollBack else { return }
        before = (kept, keptLosses, bytes, claimed)
    }

    package func commit() { before = nil }

    package func rollback() {
        guard let before else { return }
        (kept, keptLosses, bytes, claimed) = before
        self.before = nil
    }

    package func close() {}

    package func append(_ row: Row, _ body: [UInt8]) -> Int64 {
        lastID += 1
        var row = row
        row.id = lastID
        kept.append(Kept(row: row, body: body))
        bytes += Row.cost(ofBody: body.count)
        return lastID
    }

    package func rows(after id: Int64, limit: Int) -> [Row] {
        let start = index(after: id)
        return kept[start...].prefix(max(0, limit)).map(\.row)
    }

    package func body(of id: Int64) -> [UInt8]? { index(of: id).map { kept[$0].body } }

    package func replace(_ id: Int64, _ row: Row, _ body: [UInt8]) {
        guard let index = index(of: id) else { return }
        bytes += Row.cost(ofBody: body.count) - Row.cost(ofBody: kept[index].body.count)
        var row = row
        row.id = id
        kept[index] = Kept(row: row, body: body)
    }

    package func remove(_ ids: [Int64]) {
        let ids = Set(ids)
        // Mostly the oldest: the rest is looked at only if there are others.
        var head = 0
        while head < kept.count, ids.contains(kept[head].row.id) {
            bytes -= Row.cost(ofBody: kept[head].body.count)
            head += 1
        }
        kept.removeFirst(head)
        guard head < ids.count else { return }
        kept.removeAll { element in
            guard ids.contains(element.row.id) else { return false }
            bytes -= Row.cost(ofBody: element.body.count)
            return true
        }
    }

    package func claim(upTo id: Int64) { claimed = max(claimed, id) }

    package func losses() -> [String: Loss] { keptLosses }

    package func set(_ losses: [String: Loss]) { keptLosses = losses }

    private func index(of id: Int64) -> Int? {
        let index = index(after: id - 1)
        return index < kept.count && kept[index].row.id == id ? index : nil
    }

    /// Where the first row behind `id` is, or would be.
    private func index(after id: Int64) -> Int {
        var low = 0
        var high = kept.count
        while low < high {
            let middle = (low + high) / 2
            if kept[middle].row.id > id { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

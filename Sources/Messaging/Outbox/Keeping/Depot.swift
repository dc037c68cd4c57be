import Beacons
import Sightings

/// What is stored, within its bounds: resolution is given up before data.
///
/// All of it happens inside a transaction of its owner's.
struct Depot {
    let store: any Store
    var maxBytes: Int
    var maxSightings: Int
    /// By grid, the row up to which nothing is left to merge.
    private var thinned = [Int64](repeating: 0, count: Thinning.grids.count)
    /// The row up to which the backlog has been taken into memory.
    private(set) var loaded: Int64 = 0

    private static let rowsAtOnce = 32
    /// What is taken into memory ends with the row that brings more than these.
    private static let mostSightingsLoaded = 10_000
    /// A cell of more rows than these is merged piece by piece.
    private static let mostRowsAtOnce = 2048

    init(_ store: any Store, maxBytes: Int, maxSightings: Int) {
        self.store = store
        self.maxBytes = maxBytes
        self.maxSightings = maxSightings
    }

    /// Nothing may change up to this row.
    private var frozen: Int64 { max(store.claimed, loaded) }

    /// Believes nothing of what was found out in a transaction that failed.
    mutating func forget() {
        for index in thinned.indices { thinned[index] = 0 }
    }

    /// Puts a parcel behind all others.
    func append(_ parcel: Parcel, isFrozen: Bool) throws(StoreFailure) -> Int64 {
        try store.append(Row(of: parcel, isFrozen: isFrozen), parcel.encoded)
    }

    /// Takes what comes next into memory; from now on it is as it is, and may be handed out.
    ///
    /// - Parameters:
    ///   - waits: what was never handed out and has to wait, with all behind it.
    ///   - prepare: stamps a parcel that was never handed out, and lets it declare a loss.
    ///   - claims: whether this can be written down. Where it can't, parcels are taken as they are.
    mutating func load(
        limit: Int, held: Set<Int64>, claims: Bool, _ ledger: inout Ledger,
        waits: (Parcel) -> Bool = { _ in false },
        prepare: (inout Parcel, inout Ledger) -> Void
    ) throws(StoreFailure) -> [(id: Int64, parcel: Parcel)] {
        var found: [(id: Int64, parcel: Parcel)] = []
        var last = loaded
        var sightings = 0
        for row in try store.rows(after: loaded, limit: limit)
        where sightings < Self.mostSightingsLoaded {
            if held.contains(row.id) {
                last = row.id
                continue
            }
            guard var parcel = try parcel(of: row) else {
                last = row.id
                if claims { try giveUp([row], .damaged, &ledger) }
                continue
            }
            let isDecided = row.isFrozen || row.id <= store.claimed
            if !isDecided, waits(parcel) { break }
            last = row.id
            if claims, !isDecided {
                let before = parcel
                prepare(&parcel, &ledger)
                if parcel != before {
                    try store.replace(row.id, Row(of: parcel, isFrozen: true), parcel.encoded)
                }
            }
            found.append((row.id, parcel))
            sightings += parcel.batch.sightings.count
        }
        if claims, last > store.claimed { try store.claim(upTo: last) }
        loaded = last
        return found
    }

    /// Gives up what is too old, whether it was handed out or not.
    ///
    /// - Parameters:
    ///   - held: rows that are in memory as well, where they have their own end.
    ///   - isTooOld: a row's judgement; `nil` where its age can't be known. What was stored before something that is too
    ///     old is older still.
    mutating func expire(
        held: Set<Int64>, _ ledger: inout Ledger, isTooOld: (Row) -> Bool?
    ) throws(StoreFailure) {
        var from = loaded
        var unknown: [Row] = []
        while unknown.count < Self.mostRowsAtOnce {
            let rows = try store.rows(after: from, limit: Self.rowsAtOnce)
            guard let last = rows.last else { return }
            for row in rows where !held.contains(row.id) {
                switch isTooOld(row) {
                case nil: unknown.append(row)
                case false?: return
                case true?:
                    ledger.counters.dropped &+= UInt64(unknown.count + 1)
                    try giveUp(unknown + [row], .tooOld, &ledger)
                    unknown = []
                }
            }
            from = last.id
        }
    }

    /// Merges, then drops, until what is stored is within its bound.
    mutating func makeRoom(_ ledger: inout Ledger) throws(StoreFailure) {
        guard store.bytes > maxBytes else { return }
        // Some more, so that not every batch to come does this again.
        let enough = maxBytes - maxBytes / 64
        for takesUnfinished in [false, true] {
            let wanted = takesUnfinished ? maxBytes : enough
            for grid in Thinning.grids.indices {
                while store.bytes > wanted, try merge(grid, takesUnfinished, &ledger) {}
            }
        }
        while store.bytes > maxBytes, let row = try oldestThatMayGo() {
            try giveUp([row], .outboxFull, &ledger)
            ledger.counters.dropped &+= row.numbers.upperBound &- row.numbers.lowerBound &+ 1
        }
    }

    /// The oldest row that was never handed out.
    private func oldestThatMayGo() throws(StoreFailure) -> Row? {
        var from = frozen
        while true {
            let rows = try store.rows(after: from, limit: Self.rowsAtOnce)
            if let row = rows.first(where: { !$0.isFrozen }) { return row }
            guard let last = rows.last else { return nil }
            from = last.id
        }
    }

    /// Merges the first cell of a grid; `false` when there is none.
    private mutating func merge(
        _ grid: Int, _ takesUnfinished: Bool, _ ledger: inout Ledger
    ) throws(StoreFailure) -> Bool {
        var from = max(thinned[grid], frozen)
        var limit = Self.rowsAtOnce
        while true {
            let rows = try store.rows(after: from, limit: limit)
            let isLast = rows.count < limit
            let isMost = limit >= Self.mostRowsAtOnce
            let outcome = Thinning.firstCell(
                in: rows, grid: Thinning.grids[grid], isLast: isLast || isMost,
                takesUnfinished: takesUnfinished || isMost)
            switch outcome {
            case .cell(let range):
                try merge(Array(rows[range]), &ledger)
                if !takesUnfinished { thinned[grid] = rows[range.upperBound - 1].id }
                return true
            case .none(let index):
                let next = isMost ? max(1, index) : index
                if next > 0, next <= rows.count {
                    from = rows[next - 1].id
                    if !takesUnfinished { thinned[grid] = from }
                    limit = Self.rowsAtOnce
                } else {
                    limit *= 2
                }
                if isLast { return false }
            }
        }
    }

    private func merge(_ rows: [Row], _ ledger: inout Ledger) throws(StoreFailure) {
        var parcels: [Parcel] = []
        for row in rows {
            guard let parcel = try parcel(of: row) else {
                return try giveUp([row], .damaged, &ledger)
            }
            parcels.append(parcel)
        }
        let merged = Parcel.merged(parcels, maxSightings: maxSightings)
        for (row, parcel) in zip(rows, merged) {
            try store.replace(row.id, Row(of: parcel, isFrozen: false), parcel.encoded)
        }
        try store.remove(rows.dropFirst(merged.count).map(\.id))
        ledger.counters.merged &+= UInt64(max(0, rows.count - merged.count))
    }

    /// What a row says it is; `nil` when its body is damaged.
    private func parcel(of row: Row) throws(StoreFailure) -> Parcel? {
        guard let body = try store.body(of: row.id),
            let parcel = try? Parcel(decoding: body)
        else { return nil }
        var expected = Row(of: parcel, isFrozen: row.isFrozen)
        expected.id = row.id
        return expected == row ? parcel : nil
    }

    private func giveUp(
        _ rows: [Row], _ reason: Loss.Reason, _ ledger: inout Ledger
    ) throws(StoreFailure) {
        for row in rows {
            ledger.merge(row.lost, of: row.session)
            ledger.lose(row.numbers, of: row.session, reason)
            ledger.givenUp.append((row.session, row.numbers))
            if reason == .damaged { ledger.counters.damaged &+= 1 }
        }
        try store.remove(rows.map(\.id))
    }
}

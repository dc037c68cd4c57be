import Beacons
import Sightings

/// A store with a size limit. When it is full, it merges windows before it drops batches.
///
/// The owner calls the mutating functions inside a transaction.
struct BoundedStore {
    let store: any BatchStore
    var maxBytes: Int
    var maxSightings: Int
    /// For each grid, the row up to which nothing is left to merge.
    private var downsampled = [Int64](repeating: 0, count: Downsampling.grids.count)
    /// The row up to which the backlog is in memory.
    private(set) var loaded: Int64 = 0

    private static let rowsPerQuery = 32
    /// Loading ends with the row that exceeds this number of sightings.
    private static let mostSightingsLoaded = 10_000
    /// A larger cell is merged in pieces.
    private static let mostRowsPerCell = 2048

    init(_ store: any BatchStore, maxBytes: Int, maxSightings: Int) {
        self.store = store
        self.maxBytes = maxBytes
        self.maxSightings = maxSightings
    }

    /// Rows up to this one never change.
    private var final: Int64 { max(store.claimed, loaded) }

    @discardableResult
    func append(_ stored: StoredBatch, isFinal: Bool) throws(BatchStoreFailure) -> Int64 {
        try store.append(BatchHeader(of: stored, isFinal: isFinal), stored.encoded)
    }

    /// The decisions about a batch that was never sent.
    struct Preparation {
        /// Whether the batch has to wait for the clock, and all rows behind it.
        var waits: (StoredBatch) -> Bool = { _ in false }
        /// Stamps the batch and lets it declare a loss.
        var prepare: (inout StoredBatch, inout LossLedger) -> Void
    }

    /// Loads the next rows and claims them, so that they can be sent.
    ///
    /// - Parameters:
    ///   - inMemory: rows that are in memory already.
    ///   - claims: false if the disk rejects changes. Then the batches stay as they are.
    mutating func load(
        limit: Int, inMemory: Set<Int64>, claims: Bool, _ ledger: inout LossLedger,
        _ preparation: Preparation
    ) throws(BatchStoreFailure) -> [(row: Int64, stored: StoredBatch)] {
        var found: [(row: Int64, stored: StoredBatch)] = []
        var last = loaded
        var sightings = 0
        for header in try store.headers(after: loaded, limit: limit)
        where sightings < Self.mostSightingsLoaded {
            if inMemory.contains(header.id) {
                last = header.id
                continue
            }
            guard var stored = try body(of: header) else {
                last = header.id
                if claims { try giveUp([header], .damaged, &ledger) }
                continue
            }
            let isFinal = header.isFinal || header.id <= store.claimed
            if !isFinal, preparation.waits(stored) { break }
            last = header.id
            if claims, !isFinal {
                let before = stored
                preparation.prepare(&stored, &ledger)
                if stored != before { try replace(header.id, stored, isFinal: true) }
            }
            found.append((header.id, stored))
            sightings += stored.batch.sightings.count
        }
        if claims, last > store.claimed { try store.claim(upTo: last) }
        loaded = last
        return found
    }

    /// Drops batches that are too old, sent or not.
    ///
    /// - Parameters:
    ///   - inMemory: rows whose batches are in memory, where they expire separately.
    ///   - isTooOld: `nil` if the age is unknown. Rows before a row that is too old are older.
    mutating func expire(
        inMemory: Set<Int64>, _ ledger: inout LossLedger, isTooOld: (BatchHeader) -> Bool?
    ) throws(BatchStoreFailure) {
        var from = loaded
        var unknown: [BatchHeader] = []
        while unknown.count < Self.mostRowsPerCell {
            let headers = try store.headers(after: from, limit: Self.rowsPerQuery)
            guard let last = headers.last else { return }
            for header in headers where !inMemory.contains(header.id) {
                switch isTooOld(header) {
                case nil: unknown.append(header)
                case false?: return
                case true?:
                    ledger.counters.dropped &+= UInt64(unknown.count + 1)
                    try giveUp(unknown + [header], .tooOld, &ledger)
                    unknown = []
                }
            }
            from = last.id
        }
    }

    /// Merges batches, then drops some, until the size is within the limit.
    mutating func makeRoom(_ ledger: inout LossLedger) throws(BatchStoreFailure) {
        guard store.bytes > maxBytes else { return }
        // A margin: the next batch should not cause this again.
        let target = maxBytes - maxBytes / 64
        for takesUnfinished in [false, true] {
            let target = takesUnfinished ? maxBytes : target
            for grid in Downsampling.grids.indices {
                while store.bytes > target, try merge(grid, takesUnfinished, &ledger) {}
            }
        }
        while store.bytes > maxBytes, let header = try oldestDroppable() {
            try giveUp([header], .outboxFull, &ledger)
            ledger.counters.dropped &+=
                header.numbers.upperBound &- header.numbers.lowerBound &+ 1
        }
    }

    /// The oldest batch that was never sent.
    private func oldestDroppable() throws(BatchStoreFailure) -> BatchHeader? {
        var from = final
        while true {
            let headers = try store.headers(after: from, limit: Self.rowsPerQuery)
            if let header = headers.first(where: { !$0.isFinal }) { return header }
            guard let last = headers.last else { return nil }
            from = last.id
        }
    }

    /// Merges the first cell of a grid. Returns false if there is none.
    private mutating func merge(
        _ grid: Int, _ takesUnfinished: Bool, _ ledger: inout LossLedger
    ) throws(BatchStoreFailure) -> Bool {
        var from = max(downsampled[grid], final)
        var limit = Self.rowsPerQuery
        while true {
            let headers = try store.headers(after: from, limit: limit)
            let isLast = headers.count < limit
            let isMost = limit >= Self.mostRowsPerCell
            let result = Downsampling.firstCell(
                in: headers, grid: Downsampling.grids[grid], isLast: isLast || isMost,
                takesUnfinished: takesUnfinished || isMost)
            switch result {
            case .cell(let range):
                try merge(Array(headers[range]), &ledger)
                if !takesUnfinished { downsampled[grid] = headers[range.upperBound - 1].id }
                return true
            case .none(let index):
                let next = isMost ? max(1, index) : index
                if next > 0, next <= headers.count {
                    from = headers[next - 1].id
                    if !takesUnfinished { downsampled[grid] = from }
                    limit = Self.rowsPerQuery
                } else {
                    limit *= 2
                }
                if isLast { return false }
            }
        }
    }

    private func merge(
        _ headers: [BatchHeader], _ ledger: inout LossLedger
    ) throws(BatchStoreFailure) {
        var batches: [StoredBatch] = []
        for header in headers {
            guard let stored = try body(of: header) else {
                return try giveUp([header], .damaged, &ledger)
            }
            batches.append(stored)
        }
        let merged = StoredBatch.merged(batches, maxSightings: maxSightings)
        for (header, stored) in zip(headers, merged) {
            try replace(header.id, stored, isFinal: false)
        }
        try store.remove(headers.dropFirst(merged.count).map(\.id))
        ledger.counters.merged &+= UInt64(max(0, headers.count - merged.count))
    }

    private func replace(
        _ row: Int64, _ stored: StoredBatch, isFinal: Bool
    ) throws(BatchStoreFailure) {
        try store.replace(row, BatchHeader(of: stored, isFinal: isFinal), stored.encoded)
    }

    /// The batch of a header; `nil` if the body is damaged or does not fit to the header.
    private func body(of header: BatchHeader) throws(BatchStoreFailure) -> StoredBatch? {
        guard let body = try store.body(of: header.id),
            let stored = try? StoredBatch(decoding: body),
            BatchHeader(of: stored, isFinal: header.isFinal).with(id: header.id) == header
        else { return nil }
        return stored
    }

    private func giveUp(
        _ headers: [BatchHeader], _ reason: Loss.Reason, _ ledger: inout LossLedger
    ) throws(BatchStoreFailure) {
        for header in headers {
            ledger.merge(header.lost, of: header.session)
            ledger.lose(header.numbers, of: header.session, reason)
            if reason == .damaged { ledger.counters.damaged &+= 1 }
        }
        try store.remove(headers.map(\.id))
    }
}

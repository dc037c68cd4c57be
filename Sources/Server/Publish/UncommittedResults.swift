import ResultStore
import Results

/// Minutes and visits that are published once the store has them.
struct UncommittedResults {
    /// A result to publish.
    struct Released {
        let kind: ResultTopics.Kind
        let site: String
        let item: String
        let document: [UInt8]
    }

    /// None is empty.
    private var results: [SiteService.Results] = []
    private var released: [Released] = []

    mutating func add(_ new: SiteService.Results, site: String) {
        if new.isEmpty { return }
        results.append(new)
        released += new.minutes.map {
            Released(kind: .minutes, site: site, item: $0.queue, document: $0.document)
        }
        released += new.visits.map {
            Released(kind: .visits, site: site, item: $0.queue, document: $0.document)
        }
    }

    /// Beyond it, the owner computes no further results until the store takes these.
    private static let most = 2000

    var isEmpty: Bool { results.isEmpty }

    var isFull: Bool { released.count >= Self.most }

    /// Adds what must be stored.
    func add(to batch: inout StoreBatch) {
        for result in results {
            batch.minutes += result.minutes
            batch.visits += result.visits
            batch.levels += result.levels
            batch.visitCounts += result.visitCounts
        }
    }

    /// The results to publish after the commit. Nothing is left.
    mutating func take() -> [Released] {
        defer { self = UncommittedResults() }
        return released
    }
}

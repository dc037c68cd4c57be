import Contract
import Store

/// Minutes and visits that are published once the store has them.
struct UncommittedResults {
    /// A result to publish.
    struct Released {
        let kind: ResultTopics.Kind
        let site: String
        let queue: String
        let document: [UInt8]
    }

    private var results: [SiteService.Results] = []
    private var released: [Released] = []

    mutating func add(_ new: SiteService.Results, site: String) {
        results.append(new)
        released += new.minutes.map {
            Released(kind: .minutes, site: site, queue: $0.queue, document: $0.document)
        }
        released += new.visitDocuments.map {
            Released(kind: .visits, site: site, queue: $0.queue, document: $0.document)
        }
    }

    /// Adds what must be stored.
    func add(to batch: inout StoreBatch) {
        for result in results {
            batch.minutes += result.minutes
            batch.visits += result.visits
            batch.levels += result.levels
        }
    }

    /// What is published after the commit. Nothing is left.
    mutating func take() -> [Released] {
        defer { self = UncommittedResults() }
        return released
    }
}

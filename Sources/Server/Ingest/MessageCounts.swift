import ResultStore

/// Messages by site, gateway and outcome, since the start and since the last commit.
struct MessageCounts {
    private(set) var all: [StoreBatch.Counter: Int64] = [:]
    private var fresh: [StoreBatch.Counter: Int64] = [:]

    /// Beyond it, messages of further gateways count under one name.
    private static let mostCounters = 10_000
    private static let others = "others"

    /// - Parameter gateway: `nil` for a gateway without a valid name.
    mutating func add(_ outcome: MessageOutcome, site: String, gateway: String?) {
        var counter = StoreBatch.Counter(
            site: site, gateway: gateway ?? Self.others, outcome: outcome.rawValue)
        if all[counter] == nil, all.count >= Self.mostCounters {
            counter = StoreBatch.Counter(
                site: site, gateway: Self.others, outcome: outcome.rawValue)
        }
        all[counter, default: 0] += 1
        fresh[counter, default: 0] += 1
    }

    /// The counts since the last call, where they are to be stored.
    ///
    /// Counts alone wait until they are due: a flood of messages that are refused costs no flush of the disk.
    mutating func takeFresh(with batch: StoreBatch, isDue: Bool) -> [StoreBatch.Counter: Int64] {
        guard isDue || !batch.isEmpty else { return [:] }
        defer { fresh = [:] }
        return fresh
    }

    /// Takes back counts that the store has refused.
    mutating func restore(_ counts: [StoreBatch.Counter: Int64]) {
        fresh.merge(counts, uniquingKeysWith: &+)
    }
}

extension StoreBatch.Counter {
    /// For a stable order of the metrics.
    var order: (String, String, String) { (site, gateway, outcome) }
}

import Facts
import ResultStore

/// What became of a message, in the words of the store's counters and of the metrics.
enum MessageOutcome: String, CaseIterable {
    case new, repeated, late, unsynced
    /// No queue of the configuration has its gateway.
    case foreign
    /// It is of one session too many of its gateway, or one window too many of its second.
    case excess
    /// It breaks the contract.
    case invalid
    /// Its window ends in the future.
    case future
    /// It is larger than any message of the contract.
    case oversized

    init(_ outcome: FactOutcome) {
        self =
            switch outcome {
            case .new: .new
            case .repeated: .repeated
            case .late: .late
            case .unsynced: .unsynced
            case .foreign: .foreign
            case .excess: .excess
            }
    }
}

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

/// The faults of messages that the log has. The broker sends retained messages again with each connection.
///
/// Each gateway and queue has a share of its own: a hostile one can't use up those of the others.
struct LoggedFaults {
    private var faults: [String: Set<[String]>] = [:]

    /// More faults of a place are only counted.
    static let mostOfPlace = 10
    private static let mostPlaces = 1000

    /// Takes a fault with its reason.
    ///
    /// - Parameter place: the gateway or queue.
    /// - Returns: `nil` if the log has it, or has enough; else whether it is the last one of its place.
    mutating func take(_ fault: String, _ reason: String, at place: String) -> Bool? {
        guard faults.count < Self.mostPlaces || faults[place] != nil,
            faults[place, default: []].count < Self.mostOfPlace,
            faults[place, default: []].insert([fault, reason]).inserted
        else { return nil }
        return faults[place]?.count == Self.mostOfPlace
    }
}

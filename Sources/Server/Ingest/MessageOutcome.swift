import Facts

/// What became of a message, in the words of the store's counters and of the metrics.
enum MessageOutcome: String, CaseIterable {
    case new, repeated, late, unsynced
    /// No queue of the configuration has its gateway.
    case foreign
    /// It is of one session too many of its gateway.
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

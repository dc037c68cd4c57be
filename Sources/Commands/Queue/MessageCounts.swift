import JSON
import Queueing

/// What became of the lines of the input.
struct MessageCounts {
    private(set) var lines = 0
    private(set) var other = 0
    /// Lines that are no messages, or messages that break the contract.
    private(set) var invalid = 0
    private(set) var foreign = 0
    private var outcomes: [SiteEstimator.Outcome: Int] = [:]

    mutating func note(_ line: InputLine) {
        lines += 1
        if line == .other { other += 1 }
    }

    mutating func noteInvalid() { invalid += 1 }

    mutating func note(_ outcome: SiteEstimator.Outcome) { outcomes[outcome, default: 0] += 1 }

    /// Valid messages of sightings, also of other sites and gateways.
    var messages: Int { outcomes.values.reduce(0, +) }

    var members: [JSON.Member] {
        [
            .init("lines", .integer(Int64(lines))), .init("invalid", .integer(Int64(invalid))),
            .init("other", .integer(Int64(other))),
        ]
            + SiteEstimator.Outcome.allCases.map {
                .init($0.rawValue, .integer(Int64(outcomes[$0] ?? 0)))
            }
    }
}

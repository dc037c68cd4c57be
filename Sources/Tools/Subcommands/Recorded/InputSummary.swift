import Facts
import JSON
import Primitives
import Queueing

/// What became of the lines of the input.
struct InputSummary {
    private(set) var lines = 0
    private(set) var other = 0
    /// Lines that are no messages, or messages that break the contract.
    private(set) var invalid = 0
    /// The site and the gateway of the first message that the configuration does not name.
    private(set) var firstForeign: String?
    private var outcomes: [FactOutcome: Int] = [:]

    /// Faulty lines that are named; more are only counted.
    static let mostFaults = 20

    mutating func note(_ line: InputLine) {
        lines += 1
        if line == .other { other += 1 }
    }

    mutating func noteInvalid() { invalid += 1 }

    /// - Parameter place: `SITE/GATEWAY`.
    mutating func note(_ outcome: FactOutcome, of place: String) {
        outcomes[outcome, default: 0] += 1
        if outcome == .foreign, firstForeign == nil { firstForeign = place }
    }

    /// Why no message counts, although some are valid; `nil` where one does.
    var reasonNoneCounts: String? {
        guard messages > 0, outcomes[.new, default: 0] == 0 else { return nil }
        let causes = [
            firstForeign.map {
                "the configuration does not name the site or the gateway of "
                    + "\(outcomes[.foreign, default: 0].grouped), such as \($0.printable(limit: 200))"
            },
            outcomes[.unsynced].map {
                "\($0.grouped) \($0 == 1 ? "is" : "are") of a clock that was not set"
            },
        ].compactMap(\.self)
        return "none of \(count(messages, "message")) counts: \(causes.joined(separator: "; "))"
    }

    /// Valid messages of sightings, also of other sites and gateways.
    var messages: Int { outcomes.values.reduce(0, +) }

    var members: [JSON.Member] {
        [
            .init("lines", .integer(Int64(lines))), .init("invalid", .integer(Int64(invalid))),
            .init("other", .integer(Int64(other))),
        ]
            + FactOutcome.allCases.map {
                .init($0.rawValue, .integer(Int64(outcomes[$0] ?? 0)))
            }
    }
}

import Primitives
import ServerConfiguration
import Store

/// What a table of the store holds, and how long.
struct HeldTable {
    let content: String
    let kept: String

    /// The rules of every table of the store.
    static func rules(_ configuration: ServerConfiguration) -> [String: HeldTable] {
        let evidence = evidence(configuration)
        let results = configuration.retention
        let minutes = count(results.minutesDays, "day")
        let hours = count(results.hoursDays, "day")
        return [
            "facts": .init(content: "windows of gateways with pseudonyms", kept: evidence),
            "visits": .init(content: "visits with pseudonyms", kept: evidence),
            "sources": .init(
                content: "sessions of gateways", kept: "two days at most after their last windows"),
            "receipts": .init(content: "counts of tills", kept: evidence),
            "site_days": .init(content: "signal levels of gateways", kept: "two days"),
            "minutes": .init(content: "sums of minutes", kept: minutes),
            "hours": .init(content: "sums of hours", kept: hours),
            "days": .init(content: "sums of days", kept: hours),
            "visit_counts": .init(content: "numbers of published visits", kept: "two days"),
            "counters": .init(content: "numbers of messages of gateways", kept: "always"),
            "sites": .init(content: "names of sites", kept: "always"),
            "queues": .init(content: "names of queues", kept: "always"),
        ]
    }

    /// How long facts, visits, and damaged files with such rows are kept.
    static func evidence(_ configuration: ServerConfiguration) -> String {
        configuration.privacy == .day
            ? "24 hours, and until its day is closed" : "until its day is closed, after 04:00"
    }

    static let unknown = HeldTable(content: "not known to this version", kept: "unknown")
}

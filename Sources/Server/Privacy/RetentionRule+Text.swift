import Primitives
import ResultStore
import ServerConfiguration

extension RetentionRule {
    /// How long rows are kept, in words for people.
    func text(_ configuration: ServerConfiguration) -> String {
        switch self {
        case .always: "always"
        case .evidence:
            configuration.privacy == .day
                ? "24 hours, and until its day is closed" : "until its day is closed, after 04:00"
        case .sessions: "two days at most after their last windows"
        case .levels: "two days"
        case .minutes: count(configuration.retention.minutesDays, "day")
        case .hours, .days: count(configuration.retention.hoursDays, "day")
        }
    }
}

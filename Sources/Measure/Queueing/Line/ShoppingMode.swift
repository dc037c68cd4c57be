import Facts
import Glibc
import JSON

/// Which shopping mode the people of a site have, by the time that they spend beside a line: a cumulative sum test
/// (E. S. Page, 1954).
///
/// People who walk to the line and away from it are beside it for about a minute. People who browse are beside it for minutes.
struct ShoppingEvidence: Equatable, Sendable {
    private(set) var mode = ShoppingMode.direct
    /// The log-odds that people browse, within ± `decision`.
    private(set) var logOdds = 0.0

    /// These log-odds decide.
    static let decision = 8.0
    /// With these log-odds, the line is unknown. From 0, two people who linger reach them.
    private static let doubt = 4.0
    /// A person who is beside the line for longer lingers. Chosen: on the bench, most people who walk directly need half a
    /// minute, and most people who browse three minutes or more.
    static let longestWalk = Duration.seconds(120)
    /// The share of people who linger where people browse. Chosen: on the bench, it is 80 to 100 %. A smaller one
    /// also decides for a site in which half of the people browse.
    private static let browsing = 0.8
    /// The same share where people walk to the line. On the bench, it is at most 8 %.
    private static let chance = 0.1

    init() {}

    /// Adds a person with a stay.
    ///
    /// - Parameter lingered: the time beside the line.
    mutating func add(lingered: Duration) {
        let change =
            lingered > Self.longestWalk
            ? log(Self.browsing / Self.chance) : log((1 - Self.browsing) / (1 - Self.chance))
        logOdds = min(max(logOdds + change, -Self.decision), Self.decision)
        if logOdds == Self.decision { mode = .browsing }
        if logOdds == -Self.decision { mode = .direct }
    }

    /// Whether people probably browse, and the direct shopping mode still counts.
    var isInDoubt: Bool { mode == .direct && logOdds > Self.doubt }
}

extension ShoppingEvidence {
    init(_ reader: inout ObjectReader) {
        mode = reader.choice("approach", of: ShoppingMode.self) ?? .direct
        // Earlier versions counted stays.
        for key in ["certain", "outOfTurn"] { _ = reader.optionalNumber(key, in: 0...1e6) }
        logOdds = reader.optionalNumber("logOdds", in: -Self.decision...Self.decision) ?? 0
    }

    var json: JSON { ["approach": .string(mode.rawValue), "logOdds": .number(logOdds)] }
}

/// How the people of a site come to its lines. Each way has models of its own.
enum ShoppingMode: String, CaseIterable, Sendable {
    /// They walk to the line and join it.
    case direct
    /// They first browse near the line, for minutes. There a tag has the levels of a person in the middle of the line.
    case browsing

    /// The fits for one way. A class: each second of each tag would copy a structure of many numbers.
    final class Models: Sendable {
        let line: LineModel
        let visit: VisitModel
        let presence: PresenceModel
        /// The log-odds of one overtaking between two visits.
        let order: Double

        private init(line: LineModel, visit: VisitModel, presence: PresenceModel, order: Double) {
            (self.line, self.visit, self.presence, self.order) = (line, visit, presence, order)
        }

        fileprivate static let direct = Models(
            line: .direct, visit: .direct, presence: .direct,
            order: OrderJudgement.directWeight)
        fileprivate static let browsing = Models(
            line: .browsing, visit: .browsing, presence: .browsing,
            order: OrderJudgement.browsingWeight)
    }

    var models: Models { self == .direct ? .direct : .browsing }
}

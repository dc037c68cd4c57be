import Glibc
import JSON

/// Which shopping mode the people of a site have, by the order of their lines: a cumulative sum test (E. S. Page, 1954).
///
/// With the direct models, the joining of a browsing person is dated minutes too early, at a random time. Such stays leave in
/// any order. People who walk to the line leave in the order in which they joined.
struct ShoppingEvidence: Equatable, Sendable {
    private(set) var mode = ShoppingMode.direct
    /// The log-odds that people browse, within ± `decision`.
    private(set) var logOdds = 0.0

    /// These log-odds decide.
    static let decision = 8.0
    /// With these log-odds, the line is unknown. From 0, three stays out of turn in a row reach them.
    private static let doubt = 4.0
    /// The share of stays that overtake too many people where people browse. Chosen: on the bench, it is 27 to 56 %. A larger one
    /// would take a quiet hour for an orderly line.
    private static let browsing = 0.2
    /// The same share where people walk to the line. On the bench, it is 8 % with two queues and one
    /// entry, and at most 4 % in the other worlds.
    private static let chance = 0.05

    init() {}

    /// Adds a certain stay. One who found few people ahead shows nothing.
    ///
    /// - Parameter tills: how many people the tills serve at a time.
    mutating func add(_ turn: LineTurn, tills: Int) {
        // Two more than the tills allow: there may be a till without a gateway, and a stay that is none.
        let allowed = tills + 1
        guard turn.ahead > allowed else { return }
        let change =
            turn.overtaken > allowed
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

        private init(line: LineModel, visit: VisitModel, presence: PresenceModel) {
            (self.line, self.visit, self.presence) = (line, visit, presence)
        }

        fileprivate static let direct = Models(line: .direct, visit: .direct, presence: .direct)
        fileprivate static let browsing = Models(
            line: .browsing, visit: .browsing, presence: .browsing)
    }

    var models: Models { self == .direct ? .direct : .browsing }
}

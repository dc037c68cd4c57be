/// The behaviour of a tag over hours. It shows tags that are no visitors' and that the configuration does not name.
struct TagBehaviour {
    /// Seconds of the grid in which the tag was heard, since it came.
    private var heard = 0
    /// Of these, the ones with several senders.
    private var shared = 0
    /// Those in which it was next to two gateways that are far apart.
    private var apart = 0
    private var since: UnixSecond
    private var lastHeard: UnixSecond
    /// Visits since it came, and whether it was ever away from both roles.
    private var visits = 0
    /// The mean level, and the mean distance from it, over some ten minutes.
    private var meanLevel: Double?
    private var spread = 0.0

    /// A tag that is away for longer comes anew.
    private static let longestAbsence = Duration.seconds(6 * 3600)
    /// Longer than anybody shops.
    private static let longestPresence = Duration.seconds(4 * 3600)
    private static let mostVisits = 8
    /// A beacon on a shelf varies less than one on a person.
    private static let steadyAfter = 900
    private static let steadySpread = 1.2
    private static let pace = 1.0 / 300
    private static let sharedAfter = 30
    private static let sharedShare = 0.2
    /// By chance, a tag is loud at a distant gateway for a few seconds.
    private static let apartAfter = 20

    init(since: UnixSecond) {
        self.since = since
        lastHeard = since
    }

    /// - Parameter power: of the loudest gateway, in dBm.
    mutating func hear(power: Double, senders: Int, at second: UnixSecond) {
        if second - lastHeard > Self.longestAbsence { self = TagBehaviour(since: second) }
        lastHeard = second
        heard += 1
        if senders > 1 { shared += 1 }
        let mean = meanLevel ?? power
        spread += ((power - mean).magnitude - spread) * Self.pace
        meanLevel = mean + (power - mean) * Self.pace
    }

    mutating func noteApart() { apart += 1 }

    mutating func noteVisit() { visits += 1 }

    /// Whether it has shown neither a visit nor another kind than a visitor's.
    var isStranger: Bool { visits == 0 && kind == .visitor }

    var kind: TagKind {
        if shared >= Self.sharedAfter, Double(shared) >= Self.sharedShare * Double(heard) {
            return .clone
        }
        if apart >= Self.apartAfter { return .clone }
        if heard >= Self.steadyAfter, spread < Self.steadySpread { return .fixed }
        let isAtWork = visits > Self.mostVisits || lastHeard - since > Self.longestPresence
        return isAtWork ? .staff : .visitor
    }
}

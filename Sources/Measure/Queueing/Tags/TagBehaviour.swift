import Facts

/// The behaviour of a tag over hours. It shows tags that are no visitors' and that the configuration does not name.
struct TagBehaviour {
    /// Seconds of the grid in which the tag was heard, since it came.
    private var heard = 0
    /// Of these, the ones with several senders.
    private var shared = 0
    /// Those in which it was next to two gateways that are far apart.
    private var apart = 0
    /// The time in which it was present, without longer absences.
    private var presence = Duration.zero
    private var lastHeard: UnixSecond
    /// Whether the configuration names it a visitor's. The beacon of a basket has many visits a day, and is never staff.
    private let isNamed: Bool
    /// Visits since it came.
    private var visits = 0
    /// The mean power in dBm, and the mean distance from it in decibels: of some five minutes.
    private var meanPower: Double?
    private var spread = 0.0

    // All of these are chosen, not fitted.

    /// A tag that is away for longer comes anew.
    private static let longestAbsence = Duration.seconds(6 * 3600)
    /// A tag that is away for longer is not present between: a visitor may pass in the morning, and come again.
    private static let shortAbsence = Duration.seconds(600)
    /// Longer than a visitor is in a store.
    private static let longestPresence = Duration.seconds(4 * 3600)
    private static let mostVisits = 8
    /// A beacon on a shelf varies less than one on a person: by fewer decibels, once it was heard for this number of seconds.
    private static let steadyAfter = 900
    private static let steadySpread = 1.2
    /// The share that a new second has in the means.
    private static let pace = 1.0 / 300
    /// A clone has several senders in this number of seconds, and in this share of all.
    private static let sharedAfter = 30
    private static let sharedShare = 0.2
    /// In seconds. By chance, a tag is loud at a distant gateway for a few.
    private static let apartAfter = 20

    init(since: UnixSecond, isNamed: Bool = false) {
        self.isNamed = isNamed
        lastHeard = since
    }

    /// - Parameter power: of the loudest gateway, in dBm.
    mutating func hear(power: Double, senders: Int, at second: UnixSecond) {
        if second - lastHeard > Self.longestAbsence {
            self = TagBehaviour(since: second, isNamed: isNamed)
        }
        let absence = second - lastHeard
        if absence <= Self.shortAbsence { presence += absence }
        lastHeard = second
        heard += 1
        if senders > 1 { shared += 1 }
        let mean = meanPower ?? power
        spread += ((power - mean).magnitude - spread) * Self.pace
        meanPower = mean + (power - mean) * Self.pace
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
        let isAtWork = visits > Self.mostVisits || presence > Self.longestPresence
        return isAtWork && !isNamed ? .staff : .visitor
    }
}

/// The kind of a beacon's carrier.
package enum TagKind: String, CaseIterable, Sendable {
    case visitor
    case staff
    /// A beacon that stays: on a shelf, or left at the till.
    case fixed
    /// A gateway's own advertisement.
    case gateway
    /// Several devices send the identity together: a clone, or beacons without provisioning.
    case clone
    /// An identity that no range of the configuration covers.
    case other
}

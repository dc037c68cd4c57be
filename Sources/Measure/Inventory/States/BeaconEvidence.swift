/// Why a beacon is in its state. `nil` where it has no meaning for the state.
package struct BeaconEvidence: Equatable, Sendable {
    /// What has shown a clone.
    package enum CloneRule: String, CaseIterable, Sendable {
        /// More reports in a minute than one device can send.
        case count
        /// Several senders in two windows that are 20 s to 300 s apart.
        case senders
        /// A gateway's own identity from another device.
        case echo
    }

    /// Of a clone; `nil` in all other states.
    package var rule: CloneRule? {
        if isEcho { return .echo }
        if senders != nil { return .senders }
        return limit == nil ? nil : .count
    }

    /// The time without a report, and the one after which a beacon is missing.
    package var silence: Duration?
    package var deadline: Duration?
    /// The reports of a minute, and the most that one device can send.
    package var reports: Int?
    package var limit: Int?
    /// The senders of the identity in the window that decided; another such window came at least 20 s before.
    package var senders: Int?
    /// Whether the gateway that advertises the identity has heard it from another device.
    package var isEcho = false
    /// How far the levels of the last hours are from the usual ones, in standard deviations, and from where on that is another place.
    package var score: Double?
    package var threshold: Double?
    /// Of the battery: millivolts, millivolts a week, and days until its end.
    package var millivolts: Int?
    package var millivoltsPerWeek: Double?
    package var daysLeft: Double?
    /// Reports a second, and the usual number.
    package var rate: Double?
    package var usualRate: Double?
    /// False alarms a week that are expected in the whole network.
    package var falsePerWeek: Double?
    /// Those that heard the beacon, or do so usually.
    package var gateways: [String] = []

    init(_ fill: (inout BeaconEvidence) -> Void = { _ in }) { fill(&self) }
}

/// The states of a registered beacon, in the order of what to do first.
package enum BeaconState: String, CaseIterable, Sendable {
    /// Several devices send the identity.
    case clone
    case missing
    /// The battery ends.
    case battery
    /// In another place than before.
    case moved
    /// It sends less often than before.
    case interval
    /// Registered, and never heard.
    case unseen
    /// The gateways that hear it usually do not listen.
    case unknown
    /// Heard for less than three days.
    case learning
    case ok
    /// The registry says that it is in use no more.
    case retired

    /// Whether a person should do something.
    package var isFault: Bool {
        switch self {
        case .clone, .missing, .battery, .moved, .interval, .unseen: true
        case .unknown, .learning, .ok, .retired: false
        }
    }
}

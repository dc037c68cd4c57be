/// What became of the advertising reports of a window: each is in exactly one of these counters, or none of our business.
package struct RadioCounts: Equatable, BitwiseCopyable, Sendable {
    /// All advertising reports that the controller delivered.
    package var reports = 0
    /// iBeacons let through by the filter: each of them is in a sighting.
    package var beacons = 0
    /// iBeacons that the filter kept out.
    package var filtered = 0
    /// Reports, or advertising data in them, that were cut short.
    package var malformed = 0
    /// iBeacons whose RSSI no receiver can have measured.
    package var implausible = 0
    /// iBeacons let through whose identity was beyond a bound of the window: in no sighting.
    package var untracked = 0
    /// iBeacons in a sighting from a sender beyond the limit of distinct senders: `senders` is a
    /// lower bound then.
    package var unresolvedSenders = 0
    /// Packets that the kernel threw away before they could be read.
    package var dropped = 0
    /// The most identities of one sender in a window, if above `BusiestSender.usual`; otherwise 0.
    package var identitiesPerSender = 0

    package init() {}

    package static func += (sum: inout RadioCounts, more: RadioCounts) {
        sum.reports += more.reports
        sum.beacons += more.beacons
        sum.filtered += more.filtered
        sum.malformed += more.malformed
        sum.implausible += more.implausible
        sum.untracked += more.untracked
        sum.unresolvedSenders += more.unresolvedSenders
        sum.dropped += more.dropped
        sum.identitiesPerSender = max(sum.identitiesPerSender, more.identitiesPerSender)
    }
}

/// Whether the radio was scanning: an empty window of a deaf gateway is not an empty store.
package enum RadioState: Sendable {
    case hearing
    case deaf
}

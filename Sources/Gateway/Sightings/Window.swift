import Beacons
import Primitives

/// What a gateway heard in one span of time.
package struct Window: Equatable, Sendable {
    package var interval: Interval
    package var state = RadioState.hearing
    /// Whether the settings or the clock changed when it began. Such a window never merges with the one before.
    package var isRetuned = false
    package var radio = RadioCounts()
    /// In the order in which the identities were first heard.
    package var sightings: [Sighting] = []

    /// Marks the sighting of the gateway's own identity, if there is one: the gateway did not send it.
    mutating func markEcho(of own: BeaconIdentity) {
        // Once when the window closes, rather than at every report.
        guard let index = sightings.firstIndex(where: { $0.identity == own }) else { return }
        sightings[index].isEcho = true
    }
}

/// Counts of a window's advertising reports. `reports` is of all. Of the others, each report of a beacon in a published
/// format is in one of `beacons`, `filtered`, `implausible` and `untracked`, unless the gateway itself sent it.
package struct RadioCounts: Equatable, BitwiseCopyable, Sendable {
    /// All advertising reports that the controller delivered.
    package var reports = 0
    /// Reports of beacons that the filter admits: each is in a sighting.
    package var beacons = 0
    /// Reports of beacons that the filter excludes.
    package var filtered = 0
    /// Reports that are malformed, or whose advertising data are.
    package var malformed = 0
    /// Reports with a part of longer advertising data. Another report counts the data, or a part is lost.
    package var fragments = 0
    /// Reports of beacons with an RSSI that no receiver can measure.
    package var implausible = 0
    /// Reports of admitted beacons in no sighting, because the window had its most identities or sightings.
    package var untracked = 0
    /// Of `beacons`, those from a sender beyond the limit of distinct senders: `senders` is then a lower bound.
    package var unresolvedSenders = 0
    /// Packets that the kernel dropped before the agent read them.
    package var dropped = 0
    /// The most identities of one sender in a window, if above `BusiestSender.usual`; otherwise 0.
    package var identitiesPerSender = 0

    package init() {}

    package static func += (sum: inout RadioCounts, more: RadioCounts) {
        sum.reports += more.reports
        sum.beacons += more.beacons
        sum.filtered += more.filtered
        sum.malformed += more.malformed
        sum.fragments += more.fragments
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

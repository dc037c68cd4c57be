import Beacons
import Primitives

/// All that was heard in one stretch of time.
package struct Window: Equatable, Sendable {
    package var interval: Interval
    package var state: RadioState
    package var radio: RadioCounts
    /// In the order in which the identities were first heard.
    package var sightings: [Sighting]
    /// The first since the settings changed or the clock was set: it means something else than the one before.
    package var isRetuned: Bool

    package init(
        interval: Interval, state: RadioState = .hearing, isRetuned: Bool = false,
        radio: RadioCounts = RadioCounts(), sightings: [Sighting] = []
    ) {
        self.interval = interval
        self.state = state
        self.isRetuned = isRetuned
        self.radio = radio
        self.sightings = sightings
    }

    /// Marks the sighting of the gateway's own identity, if there is one: the gateway did not send it.
    mutating func markEcho(of own: BeaconIdentity) {
        // Once when the window closes, rather than at every report.
        guard let index = sightings.firstIndex(where: { $0.identity == own }) else { return }
        sightings[index].isEcho = true
    }
}

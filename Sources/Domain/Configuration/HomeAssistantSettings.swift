import Beacons
import Contract
import JSON

/// What Home Assistant is shown: the section `homeAssistant` of the local file.
package struct HomeAssistantSettings: Equatable, Sendable {
    /// Where it looks for discovery documents.
    package var discoveryPrefix: String
    /// After so many seconds of listening without hearing it, a tracker is away.
    package var awayAfterSeconds: Int64
    package var trackers: [Tracker]

    /// The most trackers: each sighting is compared with all of them.
    package static let maxTrackers = 32

    package init(
        discoveryPrefix: String = HomeDiscovery.usualPrefix, awayAfterSeconds: Int64 = 120,
        trackers: [Tracker] = []
    ) {
        self.discoveryPrefix = discoveryPrefix
        self.awayAfterSeconds = awayAfterSeconds
        self.trackers = trackers
    }
}

extension HomeAssistantSettings {
    /// Reads the section's members.
    init(from reader: inout ObjectReader) {
        let usual = HomeAssistantSettings()
        discoveryPrefix =
            reader.optionalParsed("discoveryPrefix", expecting: Topics.rootRule) {
                Topics.isRoot($0) ? $0 : nil
            } ?? usual.discoveryPrefix
        awayAfterSeconds = reader.integer(
            "awayAfterSeconds", in: 10...86_400, default: usual.awayAfterSeconds)
        trackers = reader.objects("trackers", atMost: Self.maxTrackers) { Tracker(from: &$0) }
        let identities = trackers.map(\.identity)
        if Set(identities).count < identities.count {
            reader.note("trackers", .outOfRange, "trackers must be different beacons")
        }
    }
}

extension Tracker {
    /// Reads an element of `homeAssistant.trackers`; `nil` after a fault.
    fileprivate init?(from reader: inout ObjectReader) {
        let name = reader.requiredText("name", maxBytes: 128)
        let identity = Identity(from: &reader)
        guard let name, let identity else { return nil }
        self.init(name: name, identity: identity)
    }
}

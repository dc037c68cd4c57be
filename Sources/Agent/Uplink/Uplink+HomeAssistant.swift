import Configuration
import Contract
import HomeAssistant
import MQTT
import Posix
import Sightings

/// What Home Assistant is shown of the gateway, where it is wanted: a discovery document at each connection, and who is near.
///
/// Both are retained, so that nobody has to wait for Home Assistant's birth message.
extension Uplink {
    /// A batch has been made: trackers may have come or gone.
    func follow(_ batch: Batch) {
        let uuids = Set(reconciler?.settings.filter.uuids ?? [])
        let hasChanged = nearby?.on(batch) { uuids.isEmpty || uuids.contains($0.uuid) }
        if hasChanged == true { areTrackersDue = true }
    }

    /// Says what Home Assistant does not know yet.
    func tellHomeAssistant() {
        guard canAnnounce else { return }
        for topic in abandonedTopics { publishRetained([], to: topic, Self.discoveryToken) }
        abandonedTopics = []
        guard let home = settings.home else { return }
        if areTrackersDue {
            areTrackersDue = false
            let message = TrackersMessage(
                session: settings.session.description, at: Clocks.wall / 1000,
                trackers: zip(settings.trackers, nearby?.states ?? [])
                    .map { (tracker: $0, state: $1) })
            // Without any, what stands there from before goes.
            publishRetained(
                settings.trackers.isEmpty ? [] : message.encoded,
                to: settings.topics.topic(.trackers), Self.trackersToken)
        }
        if isDiscoveryDue, !isDiscoveryAwaited {
            isDiscoveryDue = false
            publishRetained(home.encoded, to: home.topic, Self.discoveryToken)
        }
    }

    /// Others are to be followed and shown from now on, or none; what was shown before and is no more is taken away.
    func show(_ wanted: HomeAssistantSettings?) {
        let before = settings.home
        settings.show(wanted)
        nearby = Self.presence(settings)
        let home = settings.home
        isDiscoveryDue = home != nil
        areTrackersDue = home != nil
        if let before, before.topic != home?.topic { abandonedTopics.insert(before.topic) }
        if let home { abandonedTopics.remove(home.topic) }
        let trackers = settings.topics.topic(.trackers)
        if before != nil, home == nil { abandonedTopics.insert(trackers) }
        if home != nil { abandonedTopics.remove(trackers) }
        // Without a connection, the next one shows us what stands there.
        guard canAnnounce, let home else { return }
        if before?.topic != home.topic {
            subscribeToDiscovery()
        } else if !isDiscoveryAwaited,
            let retraction = before.flatMap({ home.retraction(of: $0.encoded) })
        {
            publishRetained(retraction, to: home.topic, Self.discoveryToken)
        }
    }

    /// Asks for the document that stands there; what it had and ours has not must be taken away, before ours takes its place.
    func subscribeToDiscovery() {
        isDiscoveryAwaited = false
        if let home = settings.home { isDiscoveryAwaited = subscribe(to: [home.topic]) }
    }

    /// Who is followed for it.
    static func presence(_ settings: Settings) -> Presence? {
        guard settings.home != nil else { return nil }
        return Presence(of: settings.trackers.map(\.identity), awayAfter: settings.awayAfter)
    }

    /// The document that stood there before ours.
    func heardDiscovery(_ message: Message) {
        guard message.isRetained, let home = settings.home,
            let retraction = home.retraction(of: message.payload)
        else { return }
        publishRetained(retraction, to: home.topic, Self.discoveryToken)
        publishRetained(home.encoded, to: home.topic, Self.discoveryToken)
        isDiscoveryDue = false
    }

    private func publishRetained(_ payload: [UInt8], to topic: String, _ token: UInt64) {
        publish(
            Publication(
                topic: topic, payload: payload, isRetained: true, contentType: "application/json"),
            token: token)
    }
}

extension Uplink.Settings {
    /// What Home Assistant is to be shown; `nil` for nothing.
    mutating func show(_ wanted: HomeAssistantSettings?) {
        home = wanted.map {
            HomeDiscovery(
                prefix: $0.discoveryPrefix, topics: topics, version: version,
                trackers: $0.trackers)
        }
        trackers = wanted?.trackers ?? []
        awayAfter = (wanted ?? HomeAssistantSettings()).awayAfterSeconds * 1_000_000
    }
}

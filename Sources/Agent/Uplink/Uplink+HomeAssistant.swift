import MQTT
import Messages
import Posix
import Sighting

/// What Home Assistant is shown of the gateway, where it is wanted: a discovery document at each connection, and who is near.
///
/// Both are retained, so that nobody has to wait for Home Assistant's birth message.
extension Uplink {
    /// A batch has been made: trackers may have come or gone.
    func follow(_ batch: Batch) {
        let uuids = Set(tuner?.tuning.filter.uuids ?? [])
        let hasChanged = nearby?.on(batch) { uuids.isEmpty || uuids.contains($0.uuid) }
        if hasChanged == true { areTrackersDue = true }
    }

    /// Says what Home Assistant does not know yet.
    func tellHomeAssistant() {
        guard let home = settings.home, canAnnounce else { return }
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
        if isDiscoveryDue {
            isDiscoveryDue = false
            publishRetained(home.encoded, to: home.topic, Self.discoveryToken)
        }
    }

    /// The document that stood there before ours; what it had and ours has not is taken away.
    func heardDiscovery(_ message: Message) {
        guard message.isRetained, let home = settings.home,
            let retraction = home.retraction(of: message.payload)
        else { return }
        publishRetained(retraction, to: home.topic, Self.discoveryToken)
        publishRetained(home.encoded, to: home.topic, Self.discoveryToken)
    }

    private func publishRetained(_ payload: [UInt8], to topic: String, _ token: UInt64) {
        publish(
            Publication(
                topic: topic, payload: payload, isRetained: true, contentType: "application/json"),
            token: token)
    }
}

import Beacons
import Configuration
import Contract
import HomeAssistant
import MQTT
import Primitives
import Sightings

/// Publishes the gateway for Home Assistant: a discovery document after each connection, and the states of tracked beacons.
///
/// Both messages are retained, so that Home Assistant gets them whenever it starts.
struct HomeAssistantPublisher {
    private let topics: Topics
    private let session: String
    private let version: String
    /// The discovery document; `nil` if Home Assistant is not configured.
    private var discovery: HomeDiscovery?
    private var trackers: [Tracker] = []
    private var presence: Presence?
    /// Retained messages of an earlier configuration, to be deleted.
    private var obsoleteTopics: Set<String> = []
    private var areTrackersDue = false
    private var isDiscoveryDue = false
    /// The broker has not delivered the earlier discovery document yet.
    private var isEarlierAwaited = false

    init(
        _ settings: HomeAssistantSettings?, topics: Topics, session: String, version: String
    ) {
        self.topics = topics
        self.session = session
        self.version = version
        use(settings)
    }

    private mutating func use(_ settings: HomeAssistantSettings?) {
        discovery = settings.map {
            HomeDiscovery(
                prefix: $0.discoveryPrefix, topics: topics, version: version,
                trackers: $0.trackers)
        }
        trackers = settings?.trackers ?? []
        presence = settings.map {
            Presence(
                of: $0.trackers.map(\.identity), awayAfter: $0.awayAfter)
        }
    }

    /// The topic of the discovery document. The publisher subscribes to it and removes obsolete entities.
    var discoveryTopic: String? { discovery?.topic }

    private var trackersTopic: String { topics.topic(.trackers) }

    /// A new connection: both messages are published again.
    mutating func connected() {
        isDiscoveryDue = discovery != nil
        areTrackersDue = discovery != nil
    }

    /// The broker refused a message: it is published again.
    mutating func refused(_ id: PublicationID, topic: String) {
        switch (id, topic) {
        case (.trackers, trackersTopic) where discovery != nil: areTrackersDue = true
        case (.discovery, discoveryTopic): isDiscoveryDue = true
        default: obsoleteTopics.insert(topic)
        }
    }

    /// Whether the subscription to the earlier discovery document was sent.
    mutating func subscribed(_ isSent: Bool) { isEarlierAwaited = isSent }

    /// The broker answers the subscription: it has delivered the earlier document, or there is none.
    mutating func subscriptionAnswered() { isEarlierAwaited = false }

    /// A batch is made: beacons may have come or gone.
    ///
    /// - Parameter isWanted: whether the filter accepts an identity.
    mutating func on(_ batch: Batch, isWanted: (BeaconIdentity) -> Bool) {
        if presence?.on(batch, wanted: isWanted) == true { areTrackersDue = true }
    }

    /// The messages to publish now.
    mutating func takeDue(at time: UnixTime) -> [Outgoing] {
        var due = obsoleteTopics.map { retained(.discovery, [], to: $0) }
        obsoleteTopics = []
        guard let discovery else { return due }
        if areTrackersDue {
            areTrackersDue = false
            let message = TrackersMessage(
                session: session, at: time,
                trackers: zip(trackers, presence?.states ?? []).map { (tracker: $0, state: $1) })
            // Without trackers, an empty payload deletes the earlier message.
            due.append(
                retained(.trackers, trackers.isEmpty ? [] : message.encoded, to: trackersTopic))
        }
        if isDiscoveryDue, !isEarlierAwaited {
            isDiscoveryDue = false
            due.append(retained(.discovery, discovery.encoded, to: discovery.topic))
        }
        return due
    }

    /// The earlier discovery document arrives: its obsolete entities are removed before ours replaces it.
    mutating func received(_ message: Message) -> [Outgoing] {
        guard message.isRetained, let discovery,
            let removal = discovery.retraction(of: message.payload)
        else { return [] }
        isDiscoveryDue = false
        return [
            retained(.discovery, removal, to: discovery.topic),
            retained(.discovery, discovery.encoded, to: discovery.topic),
        ]
    }

    /// The configuration changes.
    ///
    /// - Returns: whether to subscribe to a new discovery topic, and the messages to publish now.
    mutating func reconfigure(
        _ settings: HomeAssistantSettings?, canPublish: Bool
    ) -> (subscribes: Bool, messages: [Outgoing]) {
        let before = discovery
        use(settings)
        connected()
        if let before, before.topic != discovery?.topic { obsoleteTopics.insert(before.topic) }
        if let discovery { obsoleteTopics.remove(discovery.topic) }
        if before != nil, discovery == nil { obsoleteTopics.insert(trackersTopic) }
        if discovery != nil { obsoleteTopics.remove(trackersTopic) }
        // Without a connection, the subscription of the next one delivers the earlier document.
        guard canPublish, let discovery else { return (false, []) }
        guard before?.topic == discovery.topic else { return (true, []) }
        guard !isEarlierAwaited, let before, let removal = discovery.retraction(of: before.encoded)
        else { return (false, []) }
        return (false, [retained(.discovery, removal, to: discovery.topic)])
    }

    private func retained(
        _ id: PublicationID, _ payload: [UInt8], to topic: String
    ) -> Outgoing {
        Outgoing(id, payload, to: topic, isRetained: true)
    }
}

import MQTT
import Outbox

/// What a publication contains. The broker's answer to a publication is matched by this identity.
enum PublicationID: Hashable, Sendable {
    case status
    case health
    /// The document `config/reported`.
    case reported
    /// The states of the tracked beacons for Home Assistant.
    case trackers
    /// The discovery document for Home Assistant.
    case discovery
    case batch(Entry.ID)
}

/// A message to publish, and its identity.
struct Outgoing: Equatable, Sendable {
    let id: PublicationID
    let message: Publication

    /// A JSON message.
    ///
    /// - Parameter payload: JSON text; empty to delete a retained message.
    init(
        _ id: PublicationID, _ payload: [UInt8], to topic: String,
        quality: QualityOfService = .atLeastOnce, isRetained: Bool = false
    ) {
        self.id = id
        message = Publication(
            topic: topic, payload: payload, quality: quality, isRetained: isRetained,
            contentType: "application/json")
    }
}

/// How a message is delivered. The contract needs "at least once" at most.
package enum QualityOfService: CInt, Sendable {
    case atMostOnce = 0
    case atLeastOnce = 1
}

/// A message to send.
package struct Publication: Equatable, Sendable {
    package var topic: String
    package var payload: [UInt8]
    package var quality: QualityOfService
    package var isRetained: Bool
    /// A media type; only MQTT 5 carries it.
    package var contentType: String?
    /// How long the broker keeps the message for a disconnected subscriber; zero for no limit. Only MQTT 5 carries it.
    package var expirySeconds: UInt32

    package init(
        topic: String, payload: [UInt8], quality: QualityOfService = .atLeastOnce,
        isRetained: Bool = false, contentType: String? = nil, expirySeconds: UInt32 = 0
    ) {
        self.topic = topic
        self.payload = payload
        self.quality = quality
        self.isRetained = isRetained
        self.contentType = contentType
        self.expirySeconds = expirySeconds
    }
}

/// The message that the broker publishes, retained and at least once, if the connection breaks.
package struct Will: Equatable, Sendable {
    package var topic: String
    package var payload: [UInt8]

    package init(topic: String, payload: [UInt8]) {
        self.topic = topic
        self.payload = payload
    }
}

/// A received message.
package struct Message: Equatable, Sendable {
    package var topic: String
    package var payload: [UInt8]
    /// Whether the broker retained the message before the subscription.
    package var isRetained: Bool

    package init(topic: String, payload: [UInt8], isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}

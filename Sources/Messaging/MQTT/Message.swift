/// How hard a message is delivered; the contract depends on nothing more than "at least once".
package enum QualityOfService: CInt, Sendable {
    case atMostOnce = 0
    case atLeastOnce = 1
}

/// A message to be sent.
package struct Publication: Equatable, Sendable {
    package var topic: String
    package var payload: [UInt8]
    package var quality: QualityOfService
    package var isRetained: Bool
    /// A media type; only MQTT 5 carries it.
    package var contentType: String?
    /// How long the broker may keep it for somebody who is away; only MQTT 5 carries it; zero for ever.
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

/// What the broker publishes for us, retained and at least once, when the connection breaks without a farewell.
package struct Will: Equatable, Sendable {
    package var topic: String
    package var payload: [UInt8]

    package init(topic: String, payload: [UInt8]) {
        self.topic = topic
        self.payload = payload
    }
}

/// A message that came.
package struct Message: Equatable, Sendable {
    package var topic: String
    package var payload: [UInt8]
    /// It was kept by the broker from before the subscription.
    package var isRetained: Bool

    package init(topic: String, payload: [UInt8], isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}

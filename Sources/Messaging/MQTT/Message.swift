/// How a message is delivered. The contract needs "at least once" at most.
package enum QualityOfService: CInt, Sendable {
    case atMostOnce = 0
    case atLeastOnce = 1
}

/// A name and a value that a message carries beside its payload (MQTT 5.0 section 3.3.2.3.7). The broker keeps both with a
/// retained message.
package struct UserProperty: Equatable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
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
    /// Only MQTT 5 carries them. One that is no string of MQTT, as with a line break, is left out.
    package var userProperties: [UserProperty] = []

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

/// The message that the broker publishes if the connection breaks.
package struct Will: Equatable, Sendable {
    package var topic: String
    package var payload: [UInt8]
    package var quality = QualityOfService.atLeastOnce
    package var isRetained = true

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
    /// The first ones: a publisher can send thousands.
    package var userProperties: [UserProperty] = []

    /// The most user properties that are read.
    static let mostUserProperties = 8

    package init(topic: String, payload: [UInt8], isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }

    /// The bytes of topic, payload and user properties: a broker limits payloads only.
    var size: Int {
        userProperties.reduce(topic.utf8.count + payload.count) {
            $0 + $1.name.utf8.count + $1.value.utf8.count
        }
    }
}

/// The acknowledgements that wait until their messages are stored.
struct HeldAcknowledgements {
    /// The messages that may wait; `nil` if the library acknowledges them immediately.
    private let limit: Int?
    private let batch: Int
    private(set) var count = 0
    /// All messages, also those whose acknowledgements are sent.
    private(set) var received: UInt64 = 0
    /// Whether no message is read before the next acknowledgements.
    private var isClosed = false

    init(_ reading: DurableReading?) {
        limit = reading.map { max(1, Int($0.receiveMaximum)) }
        batch = reading.map { max(1, Int($0.batch)) } ?? .max
    }

    var isHolding: Bool { limit != nil }

    /// The number of messages that may be read.
    var room: Int {
        isClosed || count >= batch ? 0 : limit.map { max(0, $0 - count) } ?? .max
    }

    mutating func add() {
        received += 1
        if isHolding { count += 1 }
    }

    mutating func close() { isClosed = true }

    mutating func stored() {
        count = 0
        isClosed = false
    }
}

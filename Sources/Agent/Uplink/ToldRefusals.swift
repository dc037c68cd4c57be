import MQTT

/// Which refusals the log has already: each reason once for a topic, until the broker takes one of its messages.
struct ToldRefusals {
    private var reasons: [String: Set<ReasonCode>] = [:]

    /// The broker refused a message.
    ///
    /// - Returns: whether that is to be said.
    mutating func add(_ code: ReasonCode, of topic: String) -> Bool {
        reasons[topic, default: []].insert(code).inserted
    }

    /// The broker took a message.
    mutating func remove(_ topic: String) { reasons[topic] = nil }
}

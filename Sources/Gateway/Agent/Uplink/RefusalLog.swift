import MQTT

/// The refusals in the log: each reason is logged once for a topic, until the broker accepts a message on that topic.
struct RefusalLog {
    private var reasons: [String: Set<ReasonCode>] = [:]

    /// The broker answers a message.
    ///
    /// - Returns: whether to log the refusal.
    mutating func on(_ code: ReasonCode, topic: String) -> Bool {
        guard code.isFailure else {
            reasons[topic] = nil
            return false
        }
        return reasons[topic, default: []].insert(code).inserted
    }
}

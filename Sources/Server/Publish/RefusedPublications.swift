import MQTT

/// The broker's answers to results: which topics it refuses at present.
struct RefusedPublications {
    /// A publication without an answer.
    private struct Sent {
        let topic: String
        /// The topics of one kind have the same rule in the broker's access list.
        let kind: String
        /// Whether it removes a retained message: no later publication of its topic follows.
        let isRemoval: Bool
    }

    /// A refusal that the log names: the first of its kind.
    struct Refusal: Equatable {
        let topic: String
        let reason: ReasonCode
    }

    private(set) var count = 0
    /// As many as the broker lets wait for its answer.
    private var sent: [UInt64: Sent] = [:]
    private var topics: [String: ReasonCode] = [:]
    private var logged: Set<String> = []

    mutating func sent(_ publication: Publication, kind: String, token: UInt64) {
        sent[token] = Sent(
            topic: publication.topic, kind: kind, isRemoval: publication.payload.isEmpty)
    }

    /// - Returns: what the log says; `nil` if it has named a topic of this kind, or if the broker has taken the publication.
    mutating func answered(_ token: UInt64, _ reason: ReasonCode) -> Refusal? {
        guard let publication = sent.removeValue(forKey: token) else { return nil }
        guard reason.isFailure else {
            topics[publication.topic] = nil
            return nil
        }
        count += 1
        if !publication.isRemoval { topics[publication.topic] = reason }
        guard logged.insert(publication.kind).inserted else { return nil }
        return Refusal(topic: publication.topic, reason: reason)
    }

    /// Another connection or configuration begins: the refusals of the one before say nothing about it.
    mutating func forget() {
        sent = [:]
        topics = [:]
    }

    func contains(_ topic: String) -> Bool { topics[topic] != nil }

    /// A sentence with the remedy; `nil` while the broker takes everything.
    var fault: String? {
        guard let (topic, reason) = topics.min(by: { $0.key < $1.key }) else { return nil }
        let more = topics.count > 1 ? " and \(topics.count - 1) more" : ""
        return "The broker refuses results for \(topic)\(more), \(reason): \(Self.remedy(reason))."
    }

    static func remedy(_ reason: ReasonCode) -> String {
        reason == .notAuthorised
            ? "allow the server's user to write the topic in the broker's access list (ACL)"
            : "see the log of the broker"
    }
}

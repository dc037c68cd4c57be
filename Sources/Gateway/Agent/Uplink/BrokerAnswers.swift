import MQTT
import Posix
import Primitives

/// What the broker has not answered yet, and what it has refused.
struct BrokerAnswers {
    private var unanswered = UnansweredPublications()
    var refusals = RefusalLog()
    var subscriptionRefusals = RefusalLog()
    var refused = RefusedMessages()
    var withheld = WithheldItems()
    /// The restrictions of the broker that the log has.
    private var restrictions: [BrokerRestriction] = []

    /// - Returns: those that are not in the log.
    mutating func new(_ present: [BrokerRestriction]) -> [BrokerRestriction] {
        defer { restrictions = present }
        return present.filter { !restrictions.contains($0) }
    }

    /// - Returns: the token for the session.
    mutating func add(_ outgoing: Outgoing) -> UInt64 { unanswered.add(outgoing) }

    /// The publication with this token: it has its answer, or was not sent.
    mutating func take(_ token: UInt64) -> UnansweredPublications.Publication? {
        unanswered.remove(token)
    }

    /// The publication with this token, without an answer.
    func publication(_ token: UInt64) -> UnansweredPublications.Publication? {
        unanswered[token]
    }

    /// Publications of a lost connection get no answer.
    mutating func connectionLost() { unanswered.removeAll() }

    mutating func brokersChanged() {
        refusals = RefusalLog()
        subscriptionRefusals = RefusalLog()
        withheld = WithheldItems()
        restrictions = []
    }
}

/// The publications that the broker has not answered yet, by the token that the session returns.
///
/// A repetition on the next connection has the same token, so that the session recognises it.
struct UnansweredPublications {
    struct Publication: Hashable {
        let id: PublicationID
        let topic: String
    }

    private var publications: [UInt64: Publication] = [:]
    /// Those of the connection before.
    private var earlier: [Publication: UInt64] = [:]
    private var nextToken: UInt64 = 0

    /// - Returns: the token for the session.
    mutating func add(_ outgoing: Outgoing) -> UInt64 {
        let publication = Publication(id: outgoing.id, topic: outgoing.message.topic)
        var token = nextToken
        if let known = earlier.removeValue(forKey: publication) {
            token = known
        } else {
            nextToken &+= 1
        }
        publications[token] = publication
        return token
    }

    subscript(token: UInt64) -> Publication? { publications[token] }

    mutating func remove(_ token: UInt64) -> Publication? {
        publications.removeValue(forKey: token)
    }

    /// The connection ends, or another attempt fails, which says nothing new.
    mutating func removeAll() {
        guard !publications.isEmpty else { return }
        let unanswered = publications.map { ($0.value, $0.key) }
        earlier = Dictionary(unanswered) { min($0, $1) }
        publications.removeAll(keepingCapacity: true)
    }
}

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

/// Messages and subscriptions, but no batches, that the broker refused and may accept later. All are sent again after one wait.
struct RefusedMessages {
    enum Item: Hashable {
        case publication(PublicationID, topic: String)
        case subscription(String)
    }

    private var items: Set<Item> = []
    private var backoff = Backoff(base: .seconds(1), cap: .seconds(300))
    /// When to send them again; `nil` while the answers are outstanding.
    private(set) var due: Instant?

    /// The broker answers.
    mutating func on(_ code: ReasonCode, of item: Item, at now: Instant, random: UInt64) {
        if code.permitsRepetition {
            items.insert(item)
            due = due ?? now + backoff.delay(random: random)
        } else if items.remove(item) != nil, items.isEmpty {
            due = nil
            backoff.reset()
        }
    }

    /// The items to send again now.
    mutating func takeDue(at now: Instant) -> Set<Item> {
        guard let due, due <= now else { return [] }
        self.due = nil
        return items
    }
}

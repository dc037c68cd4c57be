import MQTT
import Posix
import Primitives

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

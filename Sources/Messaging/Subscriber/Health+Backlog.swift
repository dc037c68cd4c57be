import Contract
import Primitives

extension Health {
    /// Messages that have waited for the broker's acknowledgement for longer than usual.
    package struct Backlog {
        package let messages: Int
        package let age: Duration
        /// Whether the oldest of them survive the agent.
        let isStored: Bool

        /// `1,203 messages, the oldest 4 min 10 s`.
        package var reason: String {
            "\(count(messages, "message")), the oldest \(age.text)"
                + (isStored ? "" : ", none on its disk")
        }
    }

    /// A message that waits for a shorter time is not yet a backlog.
    package static let usualWait = Duration.seconds(10)

    /// The messages that wait, if that is a backlog.
    package var backlog: Backlog? {
        guard let age = outbox.oldestAge, age >= Self.usualWait else { return nil }
        return Backlog(messages: outbox.batches, age: age, isStored: outbox.stored > 0)
    }
}

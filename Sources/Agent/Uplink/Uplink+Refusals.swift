import Contract
import MQTT
import Outbox
import Posix
import Primitives

/// What the broker answers to messages.
extension Uplink {
    /// Of a topic whose messages are said again and again, a refusal is logged once, until the broker takes one.
    func answered(_ topic: String, _ code: ReasonCode) {
        guard code.isFailure else {
            toldRefusals.remove(topic)
            return
        }
        guard toldRefusals.add(code, of: topic) else { return }
        log.error(
            "the broker refuses messages" + hint(for: code, of: topic),
            ["topic": topic, "reason": code, "broker": broker.connection.address])
    }

    private func hint(for code: ReasonCode, of topic: String) -> String {
        switch code {
        case .notAuthorised: "; let its access list allow this gateway to write to the topic"
        case .packetTooLarge where topic.hasSuffix(Topics.Kind.sightings.rawValue):
            "; lower report.maxSightingsPerMessage, or raise the broker's limit"
        case .packetTooLarge: "; raise the broker's limit"
        case _ where code.mayPass: "; they are kept and sent again"
        default: ""
        }
    }

    /// The broker's answer to a batch.
    func acknowledged(_ id: Entry.ID, _ code: ReasonCode, at now: Instant) {
        answered(topicsInFlight.removeValue(forKey: id.rawValue) ?? sightingsTopic, code)
        if !code.isFailure {
            outbox.acknowledge(id)
            refusals.reset()
        } else if code.mayPass {
            // All that are refused before the next attempt are one refusal.
            let due =
                repeatDue
                ?? now.advanced(byMicroseconds: refusals.next(random: Random.word()))
            repeatDue = due
            outbox.retry(id, notBefore: due)
        } else {
            outbox.setAside(id)
        }
    }

    var sightingsTopic: String { settings.topics.topic(.sightings) }
}

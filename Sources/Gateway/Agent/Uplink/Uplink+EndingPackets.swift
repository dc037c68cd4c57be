import MQTT
import Primitives
import Session

/// Packets that the broker ends connections over: all others must be delivered.
extension Uplink {
    func avoid(_ ending: EndingPacket, at now: Instant) {
        switch ending.packet {
        case .subscription(let topic): withhold(.subscription(topic), topic, ending, at: now)
        case .publication(let sent):
            guard let publication = sent.token.flatMap({ answers.publication($0) }) else { return }
            guard case .batch(let id) = publication.id else {
                let item = RefusedMessages.Item.publication(publication.id, topic: sent.topic)
                return withhold(item, sent.topic, ending, at: now)
            }
            // A reason names no packet: a batch is refused only if nothing else can be the cause.
            if ending.isCertain, let reason = ending.reason {
                return answered(publication, reason, at: now)
            }
            delivery.suspect(id)
            log.warning(
                "broker ends connections over a message: sent last and alone; if it is too large,"
                    + " lower report.maxSightingsPerMessage, or raise the broker's limit",
                ["topic": sent.topic, "bytes": sent.bytes])
        }
    }

    private func withhold(
        _ item: RefusedMessages.Item, _ topic: String, _ ending: EndingPacket, at now: Instant
    ) {
        let isSubscription = if case .subscription = item { true } else { false }
        let time = answers.withheld.add(item, isCertain: ending.isCertain, at: now)
        log.warning(
            isSubscription
                ? "broker ends connections over a subscription: left out for now;"
                    + " allow the gateway to read the topic in the access list"
                : "broker ends connections over a message: left out for now;"
                    + " allow the gateway to write to the topic in the access list",
            [
                "topic": topic, "reason": ending.reason.map { "\($0)" } ?? "none given",
                "retryAfterSeconds": time.wholeSeconds,
            ])
    }
}

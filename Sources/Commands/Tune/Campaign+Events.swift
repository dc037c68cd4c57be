import Contract
import MQTT
import Primitives

extension Campaign {
    /// The connection is lost: on the next one, everything is looked at anew.
    mutating func lost(at now: Int64) {
        isGathering = true
        subscribedAt = nil
        unsubscribedSince = now
        seen = [:]
        unpublished = []
    }

    /// The broker has answered all subscriptions.
    mutating func subscribed(at now: Int64) {
        subscribedAt = now
    }

    mutating func on(_ message: Message, at now: Int64) {
        if message.isRetained { lastRetained = now }
        if let name = topics[message.topic] {
            let document = message.payload.isEmpty ? nil : RetainedDocument(message.payload)
            onDocument(document, of: name, isRetained: message.isRetained)
        } else if let (gateway, kind) = gateway(of: message.topic) {
            roster.on(kind, of: gateway, payload: message.payload)
            judge(gateway)
            endIfDone()
        }
    }

    mutating func onOversized(topic: String, bytes: Int, at now: Int64) {
        lastRetained = now
        if let name = topics[topic] {
            onDocument(RetainedDocument(oversized: bytes), of: name, isRetained: false)
        } else if let (gateway, kind) = gateway(of: topic), kind == .reported {
            roster.onOversizedReport(of: gateway, bytes: bytes)
            judge(gateway)
            endIfDone()
        }
    }

    mutating func on(acknowledgement token: UInt64, _ reason: ReasonCode, at now: Int64) {
        guard
            let name = order.wishes.indices.contains(Int(clamping: token))
                ? order.wishes[Int(clamping: token)].name : nil,
            let edition = editions?[name]
        else { return }
        guard !reason.isFailure else {
            let what = edition.description(root: order.root)
            let rest =
                changes.count > 1
                ? "; \(acknowledged.count) of \(count(changes.count, "document")) were published"
                : ""
            tell(.note("the broker refused \(what): \(reason)\(rest)"))
            handed.remove(name)
            return end(.failed)
        }
        handed.insert(name)
        guard acknowledged.insert(name).inserted else { return }
        deadline = now + order.timeout
        tell(.published(edition))
        endIfDone()
    }

    /// Somebody has had enough.
    mutating func interrupt() {
        isInterrupted = true
        if editions == nil { tell(.note("interrupted; nothing was published")) }
        end(.failed)
    }

    /// Time passes.
    mutating func pass(to now: Int64) {
        guard exit == nil else { return }
        if isGathering, let gatheredAt, now >= gatheredAt {
            isGathering = false
            subscribedAt = nil
            if editions == nil { decide(at: now) } else { resume() }
        }
        if isGathering, editions == nil, subscribedAt == nil,
            now - unsubscribedSince >= Self.longestSubscribing
        {
            tell(.note("the broker does not answer our subscriptions"))
            end(.failed)
        }
        if exit == nil, now >= deadline { giveUp() }
    }

    /// The next message to hand to the broker.
    mutating func nextPublication() -> (message: Publication, token: UInt64)? {
        guard exit == nil, !unpublished.isEmpty else { return nil }
        let name = unpublished.removeFirst()
        guard let bytes = editions?[name]?.bytes,
            let index = order.wishes.firstIndex(where: { $0.name == name })
        else { return nil }
        handed.insert(name)
        let message = Publication(
            topic: name.topic(root: order.root), payload: bytes, isRetained: true,
            contentType: "application/json")
        return (message, UInt64(index))
    }
}

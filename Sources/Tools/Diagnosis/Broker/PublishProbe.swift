import MQTT
import Primitives

/// Finds out whether a broker accepts the agent's publications, without publishing.
///
/// QoS 2 has two steps. The broker answers PUBLISH with PUBREC, which has a reason code, and delivers the message after
/// PUBREL. The probe disconnects before PUBREL, and the broker discards the message. A few brokers, such as EMQX, deliver
/// at PUBLISH (MQTT 5.0 section 4.3.3): their subscribers receive `{}`, not retained. PUBREC of MQTT 3.1.1 has no reason.
/// libmosquitto always sends PUBREL, so this type builds the packets itself.
struct PublishProbe {
    static let payload = Array("{}".utf8)

    private let stream: any WireStream
    private let deadline: Instant
    private var pending: [UInt8] = []

    init(_ stream: any WireStream, until deadline: Instant) {
        self.stream = stream
        self.deadline = deadline
    }

    /// The broker's answers by topic; without an entry for a topic that it has not answered. After as many accepted
    /// messages as the broker allows without PUBREL, the other topics need another connection.
    mutating func run(
        _ settings: ConnectionSettings, topics: [String]
    ) -> [String: ReasonCode] {
        var answers: [String: ReasonCode] = [:]
        defer { _ = stream.write(PublishPackets.disconnect, until: deadline) }
        let hello = PublishPackets.connect(
            clientID: settings.clientID, username: settings.username, password: settings.password)
        guard stream.write(hello, until: deadline), case .connected(0, let maximum) = next() else {
            return [:]
        }
        var accepted = 0
        for (topic, identifier) in zip(topics, 1...UInt8.max) {
            guard accepted < max(1, maximum) else { break }
            let message = PublishPackets.publish(Self.payload, to: topic, identifier: identifier)
            guard stream.write(message, until: deadline) else { break }
            var answer = next()
            while answer == .other { answer = next() }
            switch answer {
            case .received(identifier, let reason):
                answers[topic] = ReasonCode(rawValue: reason)
                if reason < 0x80 { accepted += 1 }
            case .disconnected(let reason):
                answers[topic] = ReasonCode(rawValue: reason)
                return answers
            default: return answers
            }
        }
        return answers
    }

    private mutating func next() -> PublishPackets.Answer? {
        while true {
            if let answer = PublishPackets.take(from: &pending) { return answer }
            // The expected packets are shorter.
            guard pending.count < 1 << 16, let bytes = stream.read(until: deadline) else {
                return nil
            }
            pending += bytes
        }
    }
}

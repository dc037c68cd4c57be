import MQTT

/// Whether a broker would take what the agent publishes, found out without publishing.
///
/// A message that is to be delivered exactly once (QoS 2) is handed over in two steps: the broker says whether it takes
/// it, and delivers it when it is told to. It is never told to: the connection ends in between, and the broker forgets.
/// (A few brokers, such as EMQX, deliver at the first step, as MQTT 5.0 section 4.3.3 allows; what they
/// deliver is an object without members, not retained, in which no subscriber finds anything.) MQTT 3.1.1 has no such
/// answer, and libmosquitto would take the second step by itself, so the few packets are made here.
struct Rehearsal {
    /// What is never delivered.
    static let payload = Array("{}".utf8)

    private let stream: any WireStream
    private let deadline: Int64
    private var pending: [UInt8] = []

    /// - Parameter deadline: on the boot clock, in microseconds.
    init(_ stream: any WireStream, until deadline: Int64) {
        self.stream = stream
        self.deadline = deadline
    }

    /// The broker's answers, by topic; those that it has not given are missing.
    mutating func ask(
        _ settings: ConnectionSettings, topics: [String]
    ) -> [String: ReasonCode] {
        var answers: [String: ReasonCode] = [:]
        defer { _ = stream.write(Packets.disconnect, until: deadline) }
        let hello = Packets.connect(
            clientID: settings.clientID, username: settings.username, password: settings.password)
        guard stream.write(hello, until: deadline), case .connected(0) = next() else { return [:] }
        for (topic, identifier) in zip(topics, 1...UInt8.max) {
            let message = Packets.publish(Self.payload, to: topic, identifier: identifier)
            guard stream.write(message, until: deadline) else { break }
            var answer = next()
            while answer == .other { answer = next() }
            switch answer {
            case .received(identifier, let reason):
                answers[topic] = ReasonCode(rawValue: reason)
            case .disconnected(let reason):
                answers[topic] = ReasonCode(rawValue: reason)
                return answers
            default: return answers
            }
        }
        return answers
    }

    private mutating func next() -> Packets.Answer? {
        while true {
            if let answer = Packets.take(from: &pending) { return answer }
            // Nothing that matters here is longer.
            guard pending.count < 1 << 16, let bytes = stream.read(until: deadline) else {
                return nil
            }
            pending += bytes
        }
    }
}

import Foundation
import TestSupport

/// A message of the topic `sightings`, decoded by Foundation, not by the project's own decoder.
struct SeenBatch {
    let text: String
    let object: [String: Any]

    init(_ text: String) throws {
        self.text = text
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        guard let object = value as? [String: Any] else { throw TestFailure("no object: \(text)") }
        self.object = object
    }

    var seq: Int { object["seq"] as? Int ?? -1 }
    /// The batch numbers that the message contains.
    var numbers: ClosedRange<Int> {
        guard let seqs = object["seqs"] as? [Int], seqs.count == 2, seqs[0] <= seqs[1] else {
            return seq...seq
        }
        return seqs[0]...seqs[1]
    }
    var session: String { object["session"] as? String ?? "" }
    var start: Int { Self.member("window", "start", of: object) as? Int ?? -1 }
    var end: Int { Self.member("window", "end", of: object) as? Int ?? -1 }
    var radio: [String: Any] { object["radio"] as? [String: Any] ?? [:] }
    var isDeaf: Bool { radio["state"] as? String == "deaf" }
    var sightings: [[String: Any]] { object["sightings"] as? [[String: Any]] ?? [] }
    var count: Int { sightings.reduce(0) { $0 + ($1["count"] as? Int ?? 0) } }

    /// The loss that the message declares.
    var lost: (batches: Int, range: ClosedRange<Int>, reason: String)? {
        guard let lost = object["lost"] as? [String: Any], let batches = lost["batches"] as? Int,
            let from = lost["fromSeq"] as? Int, let to = lost["toSeq"] as? Int, from <= to,
            let reason = lost["reason"] as? String
        else { return nil }
        return (batches, from...to, reason)
    }

    private static func member(_ outer: String, _ inner: String, of object: [String: Any]) -> Any? {
        (object[outer] as? [String: Any])?[inner]
    }
}

extension Subscriber.Received {
    /// The message, if it is one of sightings.
    var batch: SeenBatch? { topic.hasSuffix("/sightings") ? try? SeenBatch(payload) : nil }

    /// The message's members, if it is one of the topic.
    func object(of topic: String) -> [String: Any]? {
        guard self.topic.hasSuffix("/" + topic) else { return nil }
        return try? JSONSerialization.jsonObject(with: Data(payload.utf8)) as? [String: Any]
    }
}

extension Subscriber {
    /// Waits for a batch. The limit is longer than the agent's wait between two connection
    /// attempts.
    @discardableResult
    func waitForBatch(
        within seconds: Double = Deadline.limit, where matches: (SeenBatch) -> Bool
    ) throws -> SeenBatch {
        let message = waitForMessage(within: seconds) { $0.batch.map(matches) ?? false }
        guard let batch = message?.batch else {
            throw TestFailure(
                "no such batch among \(received.count) messages: \(received.suffix(3))")
        }
        return batch
    }

    /// Waits until each number of a session up to this one has arrived or was declared lost.
    func waitForNumbers(
        upTo last: Int, of session: String? = nil, within seconds: Double = Deadline.limit
    ) throws {
        let isComplete = wait(within: seconds) { received in
            var numbers = Set<Int>()
            var lost = 0
            var seen = Set<Int>()
            for batch in received.compactMap(\.batch)
            where session == nil || batch.session == session {
                guard seen.insert(batch.seq).inserted else { continue }
                numbers.formUnion(batch.numbers)
                lost += batch.lost?.batches ?? 0
            }
            return numbers.count { $0 <= last } + lost > last
        }
        if !isComplete {
            throw TestFailure(
                "not all of 0...\(last) in time: \(try batches(of: session).map(\.numbers))")
        }
    }

    /// Waits for a status message with this state, retained or live.
    func waitForStatus(_ state: String, within seconds: Double = Deadline.limit) throws -> [String:
        Any]
    {
        let message = waitForMessage(within: seconds) {
            $0.object(of: "status")?["state"] as? String == state
        }
        guard let status = message?.object(of: "status") else {
            throw TestFailure("not \(state) in time: \(received.suffix(3))")
        }
        return status
    }

    /// The batches so far, in the order of their numbers.
    ///
    /// - Throws: if two messages with the same number differ.
    func batches(of session: String? = nil) throws -> [SeenBatch] {
        var batches: [Int: SeenBatch] = [:]
        for batch in received.compactMap(\.batch)
        where session == nil || batch.session == session {
            if let earlier = batches[batch.seq], earlier.text != batch.text {
                throw TestFailure("\(batch.seq) differs:\n\(earlier.text)\n\(batch.text)")
            }
            batches[batch.seq] = batch
        }
        return batches.values.sorted { $0.seq < $1.seq }
    }
}

import JSON
import Primitives

/// What one look at a gateway came to.
struct Check: Equatable {
    enum Outcome: String {
        case ok
        /// It works, but should be mended.
        case warning
        /// It does not work.
        case wrong
        /// It could not be looked at, or not without disturbing somebody.
        case skipped
    }

    /// What was looked at, as one word.
    let name: String
    let outcome: Outcome
    /// What is the case, and what to do about it where that is something: one sentence, without a full stop.
    let sentence: String
    /// The broker that it is about.
    var broker: String?

    init(_ name: String, _ outcome: Outcome, _ sentence: String, broker: String? = nil) {
        self.name = name
        self.outcome = outcome
        self.sentence = sentence
        self.broker = broker
    }

    /// The same, about one broker.
    func of(_ broker: String) -> Check { Check(name, outcome, sentence, broker: broker) }
}

extension Check {
    /// The line for people: whatever a file or a broker says in it can't break it.
    var line: String {
        let place = broker.map { "\($0): " } ?? ""
        let words = (place + sentence).printable(limit: 600)
        return "\(outcome.rawValue.padded(8)) \(name.padded(13)) \(words)"
    }

    /// The line for programs.
    var json: JSON {
        var members = [JSON.Member("check", .string(name))]
        if let broker { members.append(JSON.Member("broker", .string(broker))) }
        members.append(JSON.Member("outcome", .string(outcome.rawValue)))
        members.append(JSON.Member("message", .string(sentence)))
        return .object(members)
    }
}

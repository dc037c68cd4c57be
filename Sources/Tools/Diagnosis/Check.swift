import JSON
import Primitives

/// The result of one check of a machine.
package struct Check: Equatable {
    package enum Outcome: String {
        case ok
        /// It works, but should be corrected.
        case warning
        /// It does not work.
        case wrong
        /// The check is impossible, or it disturbs another program.
        case skipped
    }

    /// The subject of the check: one word.
    package let name: String
    package let outcome: Outcome
    /// What the check saw, with the remedy after a colon.
    package let message: String
    /// The broker of the check.
    package var broker: String?

    package init(_ name: String, _ outcome: Outcome, _ message: String, broker: String? = nil) {
        self.name = name
        self.outcome = outcome
        self.message = message
        self.broker = broker
    }

    /// The same check for a broker.
    package func of(_ broker: String) -> Check { Check(name, outcome, message, broker: broker) }
}

extension Check {
    /// The line for people. Text from files and brokers can't break it.
    package var line: String {
        let place = broker.map { "\($0): " } ?? ""
        let text = (place + message).printable(limit: 600)
        return "\(outcome.rawValue.padded(8)) \(name.padded(13)) \(text)"
    }

    /// The line for programs.
    package var json: JSON {
        var members = [JSON.Member("check", .string(name))]
        if let broker { members.append(JSON.Member("broker", .string(broker))) }
        members.append(JSON.Member("outcome", .string(outcome.rawValue)))
        members.append(JSON.Member("message", .string(message)))
        return .object(members)
    }
}

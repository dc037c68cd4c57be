import Posix

/// A broker's name being looked up, on a thread of its own: a resolver that does not answer keeps getaddrinfo(3) for half
/// a minute, in which batches have to be stored and an agent must be able to end.
package final class Lookup {
    /// Whether a name resolves; may block.
    package typealias Resolver = @Sendable (_ host: String, _ port: UInt16) -> Bool

    /// The system's.
    package static let system: Resolver = { Host.families(of: $0, port: $1) != nil }

    private let answers: Mailbox<Bool>

    /// Begins to look; the thread ends with the answer, whether or not somebody still wants it.
    package init(
        _ host: String, port: UInt16, resolver: @escaping Resolver = Lookup.system
    ) throws(Errno) {
        let answers = try Mailbox<Bool>(capacity: 1)
        self.answers = answers
        let thread = try Thread(name: "lookup") { answers.post(resolver(host, port)) }
        thread.detach()
    }

    /// Readable once there is an answer.
    package var descriptor: CInt { answers.descriptor }

    /// Whether the name resolves, once; `nil` while nobody knows.
    package func takeAnswer() -> Bool? { answers.take().first }
}

import Posix

/// The lookup of a broker's name, on its own thread.
///
/// Without an answer, getaddrinfo(3) blocks for half a minute. Meanwhile the agent must store batches and react to signals.
package final class Lookup {
    /// Whether a name resolves; may block.
    package typealias Resolver = @Sendable (_ host: String, _ port: UInt16) -> Bool

    /// The system's resolver.
    package static let system: Resolver = { Host.families(of: $0, port: $1) != nil }

    private let call: BlockingCall<Bool>

    /// Starts the lookup. The thread ends with the answer.
    package init(
        _ host: String, port: UInt16, resolver: @escaping Resolver = Lookup.system
    ) throws(Errno) {
        call = try BlockingCall(thread: "lookup") { resolver(host, port) }
    }

    /// Readable once there is an answer.
    package var descriptor: CInt { call.descriptor }

    /// Whether the name resolves, returned once; `nil` during the lookup.
    package func takeAnswer() -> Bool? { call.takeResult() }
}

import Primitives

/// The lookup of a host's addresses within a limit. Without an answer, getaddrinfo(3) blocks for half a minute.
///
/// A lookup that exceeds the limit continues, and the next attempt waits for the same result: at most one thread runs.
package final class HostLookup {
    /// Returns the addresses of a host, none when it does not resolve; may block.
    package typealias Resolver =
        @Sendable (_ host: String, _ port: UInt16) -> [Sockets.ResolvedAddress]

    /// The system's resolver.
    package static let system: Resolver = { Sockets.resolve($0, $1) }

    /// The time that a lookup may delay its caller.
    package static let limit: Duration = .seconds(2)

    private let resolver: Resolver
    private var running: BlockingCall<[Sockets.ResolvedAddress]>?

    package init(resolver: @escaping Resolver = HostLookup.system) { self.resolver = resolver }

    /// The addresses of the host, which is the same in each call; `nil` if they are not known within the limit.
    ///
    /// A numeric address needs no resolver.
    package func addresses(
        of host: String, port: UInt16
    ) throws(Errno) -> [Sockets.ResolvedAddress]? {
        let numeric = Sockets.resolve(host, port, isNumeric: true)
        guard numeric.isEmpty else { return numeric }
        let resolver = resolver
        let call: BlockingCall<[Sockets.ResolvedAddress]>
        if let running {
            call = running
        } else {
            call = try BlockingCall(thread: "lookup") { resolver(host, port) }
        }
        running = call
        let addresses = try call.result(within: Self.limit)
        if addresses != nil { running = nil }
        return addresses
    }
}

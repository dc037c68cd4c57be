import Glibc
import Posix

/// The addresses of a host. A non-blocking libmosquitto tries only the first one.
enum Host {
    /// A kind of address.
    enum Family: Equatable {
        case v4
        case v6

        /// Any address of this kind: a socket bound to it can connect to no other kind.
        var wildcard: String {
            switch self {
            case .v4: "0.0.0.0"
            case .v6: "::"
            }
        }

        fileprivate init?(number: CInt) {
            switch number {
            case AF_INET: self = .v4
            case AF_INET6: self = .v6
            default: return nil
            }
        }
    }

    /// The kinds of addresses that a name resolves to, in the system's order of preference; `nil` when it does not resolve.
    ///
    /// Blocks while the name is looked up (getaddrinfo(3)).
    static func families(of name: String, port: UInt16) -> [Family]? {
        var families: [Family] = []
        let isResolved = withAddresses(of: name, port) { entry in
            if let family = Family(number: entry.ai_family), !families.contains(family) {
                families.append(family)
            }
            return true
        }
        return isResolved ? families : nil
    }

    /// Why TCP can't connect; `nil` if it can, or if the answer takes longer than two seconds.
    ///
    /// Used after a failure for which libmosquitto reports a wrong cause; `family` is the kind of address that it used.
    static func connectError(_ name: String, _ port: UInt16, _ family: Family?) -> Errno? {
        var failure: Errno?
        _ = withAddresses(of: name, port) { entry in
            if let family, Family(number: entry.ai_family) != family { return true }
            failure = connectError(entry)
            return false
        }
        return failure
    }

    private static func connectError(_ entry: addrinfo) -> Errno? {
        let kind = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        do throws(Errno) {
            let descriptor = try Descriptor(from: { socket(entry.ai_family, kind, 0) })
            let number = descriptor.rawValue
            if connect(number, entry.ai_addr, entry.ai_addrlen) == 0 { return nil }
            let error = Errno.current
            guard error == .inProgress else { return error }
            _ = try Poll.wait(for: [Poll.Interest(number, .output)], timeout: 2000)
            return SocketState.takeError(of: number)
        } catch {
            return error
        }
    }

    /// Lends the addresses to `body` until it returns `false`; `false` when there are none.
    private static func withAddresses(
        of name: String, _ port: UInt16, _ body: (addrinfo) -> Bool
    ) -> Bool {
        var hints = addrinfo()
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, String(port), &hints, &list) == 0 else { return false }
        defer { freeaddrinfo(list) }
        var entry = list
        while let candidate = entry?.pointee, body(candidate) { entry = candidate.ai_next }
        return list != nil
    }
}

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

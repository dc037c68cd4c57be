import Posix

/// The limits of a server, an address and a request.
package struct HTTPLimits: Equatable, Sendable {
    /// Connections that are served. Further ones take the place of the one that has not advanced for the longest time.
    package var clients = 256
    /// Connections of one address.
    package var clientsOfAddress = 32
    /// Whether programs of this machine, e.g. a proxy for many clients, have no limits of an address. The last address of
    /// their `X-Forwarded-For` then counts for rates.
    package var trustsLocalClients = true
    /// Connections that carry a stream. Further streams are brief: they end when their client has all events.
    package var streams = 200
    /// Requests of one address: a second, on average, and in a burst.
    package var requestsPerSecond = 20.0
    package var requestsAtOnce = 100.0
    /// The names and values of a request's header fields.
    package var headerBytes = 8192
    package var bodyBytes = 65536
    /// From the end of a response, or the connection's start, to the end of the next request.
    package var requestTime = Duration.seconds(20)
    /// From the end of a request to the end of its response.
    package var responseTime = Duration.seconds(120)
    /// A client that takes nothing of its response or stream for so long is ended. On a silent stream, a comment is sent.
    package var silence = Duration.seconds(15)

    package init() {}

    /// A Unix socket's client is trusted always: the file's mode says who may connect.
    func trusts(_ peer: PeerAddress) -> Bool {
        peer.isUnix || trustsLocalClients && peer.isLocal
    }

    /// libmicrohttpd's memory for a connection: the headers of its request and of its response.
    var connectionMemory: Int { 2 * headerBytes }
    /// Connections beyond the limit that get a complete response 503.
    static let politelyRefused = 64
    /// Replaced connections that the daemon has not closed yet.
    static let replacedAtOnce = 64
}

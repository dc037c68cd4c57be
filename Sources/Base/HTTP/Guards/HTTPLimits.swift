import Posix
import Primitives

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

/// The requests a second of each address (token buckets).
struct RequestRates {
    private struct Bucket {
        var tokens: Double
        var updated: Instant
    }

    private let perSecond: Double
    private let atOnce: Double
    private var buckets: [String: Bucket] = [:]

    /// Addresses whose buckets are kept. Beyond that, full buckets are forgotten, then all: forgetting favours clients.
    private static let capacity = 4096

    init(_ limits: HTTPLimits) {
        perSecond = max(0.001, limits.requestsPerSecond)
        atOnce = max(1, limits.requestsAtOnce)
    }

    var count: Int { buckets.count }

    /// Takes a request of `address` into account.
    ///
    /// - Returns: `nil` when it is admitted, else the time after which the next one is.
    mutating func admit(_ address: String, at now: Instant) -> Duration? {
        if buckets[address] == nil { makeRoom(at: now) }
        var bucket = buckets[address] ?? Bucket(tokens: atOnce, updated: now)
        bucket.tokens = level(of: bucket, at: now)
        bucket.updated = now
        let isAdmitted = bucket.tokens >= 1
        if isAdmitted { bucket.tokens -= 1 }
        buckets[address] = bucket
        return isAdmitted ? nil : .seconds((1 - bucket.tokens) / perSecond)
    }

    private func level(of bucket: Bucket, at now: Instant) -> Double {
        let passed = Double(max(0, now.microseconds(since: bucket.updated))) / 1_000_000
        return min(atOnce, bucket.tokens + passed * perSecond)
    }

    private mutating func makeRoom(at now: Instant) {
        guard buckets.count >= Self.capacity else { return }
        buckets = buckets.filter { level(of: $0.value, at: now) < atOnce }
        if buckets.count >= Self.capacity { buckets.removeAll() }
    }
}

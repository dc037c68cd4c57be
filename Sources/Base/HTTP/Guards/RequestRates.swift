import Primitives

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

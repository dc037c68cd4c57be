import Beacons
import Facts
import Primitives
import Queueing

/// The pseudonyms of one site for one day: the first 8 bytes of HMAC-SHA256(key, uuid ‖ major ‖ minor).
///
/// Without the key, which is destroyed at the end of the day, no program can compute them again.
struct Pseudonyms {
    private let inner: SHA256Digest.Beginning
    private let outer: SHA256Digest.Beginning
    /// Beacons advertise for hours: each is computed once.
    private var known: [BeaconIdentity: Tag] = [:]

    /// A flood of identities empties the memory.
    private static let mostKnown = 50_000

    /// - Parameter key: of at most 64 bytes, a block of SHA-256 (RFC 2104).
    init(key: [UInt8]) {
        let rest = repeatElement(UInt8(0), count: SHA256Digest.blockBytes)
        let padded = (key + rest).prefix(SHA256Digest.blockBytes)
        inner = SHA256Digest.Beginning(padded.map { $0 ^ 0x36 })
        outer = SHA256Digest.Beginning(padded.map { $0 ^ 0x5c })
    }

    mutating func tag(_ identity: BeaconIdentity) -> Tag {
        if let tag = known[identity] { return tag }
        if known.count >= Self.mostKnown { known.removeAll(keepingCapacity: true) }
        let tag = Tag(rawValue: digest(identity))
        known[identity] = tag
        return tag
    }

    private func digest(_ identity: BeaconIdentity) -> UInt64 {
        var message = [UInt8]()
        for word in [identity.high, identity.low] {
            message += (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
        }
        message += (0..<4).map { UInt8(truncatingIfNeeded: identity.rest >> (24 - 8 * $0)) }
        // Another format with the same bytes is another beacon.
        if !identity.isIBeacon { message.append(identity.format.rawValue) }
        let digest = SHA256Digest(of: SHA256Digest(of: message, after: inner).bytes, after: outer)
        return digest.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

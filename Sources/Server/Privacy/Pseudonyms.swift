import Beacons
import Facts
import Primitives
import Queueing

/// The pseudonyms of one site for one day: the first 8 bytes of HMAC-SHA256(key, uuid ‖ major ‖ minor).
///
/// Without the key, which is destroyed at the end of the day, no program can compute them again.
struct Pseudonyms {
    private let inner: [UInt8]
    private let outer: [UInt8]
    /// Beacons advertise for hours: each is computed once.
    private var known: [BeaconIdentity: Tag] = [:]

    /// A flood of identities empties the memory.
    private static let mostKnown = 50_000
    /// The block of SHA-256 (RFC 2104).
    private static let block = 64

    /// - Parameter key: of at most 64 bytes.
    init(key: [UInt8]) {
        let padded =
            key.prefix(Self.block) + Array(repeating: 0, count: max(0, Self.block - key.count))
        inner = padded.map { $0 ^ 0x36 }
        outer = padded.map { $0 ^ 0x5c }
    }

    mutating func tag(_ identity: BeaconIdentity) -> Tag {
        if let tag = known[identity] { return tag }
        if known.count >= Self.mostKnown { known.removeAll(keepingCapacity: true) }
        let tag = Tag(rawValue: digest(identity))
        known[identity] = tag
        return tag
    }

    private func digest(_ identity: BeaconIdentity) -> UInt64 {
        var message = [identity.high, identity.low].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
        }
        message += (0..<4).map { UInt8(truncatingIfNeeded: identity.rest >> (24 - 8 * $0)) }
        // Another format with the same bytes is another beacon.
        if !identity.isIBeacon { message.append(identity.format.rawValue) }
        let digest = SHA256Digest(of: outer + SHA256Digest(of: inner + message).bytes)
        return digest.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

import Beacons
import Facts
import Posix
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

/// The pseudonyms of a site's visitors: of its day, of later ones for windows that come before it is closed, and of earlier ones that
/// are not closed, since the time is not sure.
struct TagPseudonyms {
    private let site: String
    private let kinds: BeaconKinds
    private let keys: DayKeys
    private var day: LocalDay
    private var today: Pseudonyms
    private var others: [(day: LocalDay, pseudonyms: Pseudonyms)] = []

    /// After a long absence, gateways may have windows of several days.
    private static let mostOthers = 16

    init(_ layout: SiteLayout, _ keys: DayKeys, _ day: LocalDay) {
        site = layout.site
        kinds = layout.beacons
        self.keys = keys
        self.day = day
        today = Pseudonyms(key: [])
        begin(day)
    }

    /// - Parameter open: days before the running one are not closed from here on.
    mutating func tag(
        _ identity: BeaconIdentity, at start: UnixTime, open: UnixTime? = nil
    ) -> Tag? {
        guard kinds.kind(of: identity) == .visitor else { return nil }
        return pseudonym(identity, at: start, open: open)
            ?? today.tag(kinds.registered.identity(of: identity))
    }

    /// The pseudonym of any beacon, the same in all formats of a row of the registry; `nil` in a day that is closed.
    mutating func pseudonym(
        _ identity: BeaconIdentity, at start: UnixTime, open: UnixTime? = nil
    ) -> Tag? {
        let identity = kinds.registered.identity(of: identity)
        if let index = other(at: start, open: open) {
            return others[index].pseudonyms.tag(identity)
        }
        return day.span.contains(start) ? today.tag(identity) : nil
    }

    /// Makes the key of the day of a window: a day with windows in the store has a key, even if no visitor was near.
    mutating func prepare(at start: UnixTime, open: UnixTime?) {
        _ = other(at: start, open: open)
    }

    /// The index of the day in `others`; `nil` for the running day, and for a closed one.
    private mutating func other(at start: UnixTime, open: UnixTime?) -> Int? {
        let first = min(open ?? .max, day.span.lowerBound)
        guard start >= first, !day.span.contains(start) else { return nil }
        if let index = others.firstIndex(where: { $0.day.span.contains(start) }) { return index }
        let day = LocalDay(containing: start)
        if others.count == Self.mostOthers { others.removeFirst() }
        others.append((day, pseudonyms(of: day)))
        return others.count - 1
    }

    /// Begins a day.
    mutating func begin(_ day: LocalDay) {
        self.day = day
        today = others.first { $0.day == day }?.pseudonyms ?? pseudonyms(of: day)
        others = []
    }

    private func pseudonyms(of day: LocalDay) -> Pseudonyms {
        Pseudonyms(
            key: keys.key(of: site, day, isOpen: day.span.lowerBound >= self.day.span.lowerBound))
    }
}

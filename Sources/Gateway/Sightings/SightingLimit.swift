import Beacons
import Primitives

/// Limits the sightings of a window. It prefers identities that were published in the last one to two minutes.
///
/// The memory is two sets of bits, one for each minute, with a bit for each hash. An identity that was not published is
/// mistaken for a published one in few cases, in proportion to the bits that are set.
struct SightingLimit {
    private static let minute = Duration.seconds(60)
    /// A power of two. A flood of 1,000 identities a second sets 6 % of them in a minute.
    private static let bits = 1 << 20

    private let seed: HashSeed
    private var recent: [UInt64] = []
    private var former: [UInt64] = []
    /// When `recent` began.
    private var began = Instant(microseconds: 0)

    init(seed: HashSeed) { self.seed = seed }

    /// The sightings to publish, in their order. The reports of the others count as untracked.
    ///
    /// - Parameter most: the number of sightings; 0 for all.
    mutating func apply(
        _ most: Int, to sightings: [Sighting], counting counts: inout RadioCounts, at end: Instant
    ) -> [Sighting] {
        guard most > 0 else {
            recent = []
            return sightings
        }
        turn(at: end)
        let kept =
            sightings.count > most ? select(most, of: sightings, counting: &counts) : sightings
        for sighting in kept { record(sighting.identity) }
        return kept
    }

    private func select(
        _ most: Int, of sightings: [Sighting], counting counts: inout RadioCounts
    ) -> [Sighting] {
        let isKnown = sightings.map { isRecorded($0.identity) }
        var known = min(most, isKnown.reduce(0) { $0 + ($1 ? 1 : 0) })
        var new = most - known
        return zip(sightings, isKnown).compactMap { sighting, isKnown in
            if isKnown, known > 0 {
                known -= 1
            } else if !isKnown, new > 0 {
                new -= 1
            } else {
                counts.beacons -= sighting.count
                counts.untracked += sighting.count
                return nil
            }
            return sighting
        }
    }

    /// Begins another minute. A clock that steps back begins one as well.
    private mutating func turn(at instant: Instant) {
        if recent.isEmpty {
            recent = [UInt64](repeating: 0, count: Self.bits / 64)
            former = recent
            began = instant
        } else if instant < began || instant - began >= Self.minute {
            swap(&recent, &former)
            for index in recent.indices { recent[index] = 0 }
            began = instant
        }
    }

    private mutating func record(_ identity: BeaconIdentity) {
        let (word, bit) = place(of: identity)
        recent[word] |= bit
    }

    private func isRecorded(_ identity: BeaconIdentity) -> Bool {
        let (word, bit) = place(of: identity)
        return (recent[word] | former[word]) & bit != 0
    }

    private func place(of identity: BeaconIdentity) -> (word: Int, bit: UInt64) {
        let number = seed.hash(identity) & UInt64(Self.bits - 1)
        return (Int(number / 64), 1 << (number % 64))
    }
}

import Beacons
import Primitives

/// The beacons that must always be heard, and the time of the latest report of each.
package struct ReferenceWatch: Sendable {
    private let identities: [BeaconIdentity]
    private var heard: [Instant?]

    /// - Parameter identities: a few: the watch compares each report with all of them.
    package init(_ identities: [BeaconIdentity] = []) {
        self.identities = identities
        heard = identities.map { _ in nil }
    }

    /// A changed list. Former references keep their times; the silence of new ones starts at `now`.
    init(_ identities: [BeaconIdentity], after former: ReferenceWatch, at now: Instant) {
        self.identities = identities
        heard = identities.map { identity in
            let index = former.identities.firstIndex(of: identity)
            return index.map { former.heard[$0] } ?? now
        }
    }

    /// When the reference with the longest silence was heard; `nil` until all references were heard once.
    package var longestSilent: Instant? {
        var earliest: Instant?
        for moment in heard {
            guard let moment else { return nil }
            earliest = min(moment, earliest ?? moment)
        }
        return earliest
    }

    @inline(__always)
    package mutating func record(_ identity: BeaconIdentity, at instant: Instant) {
        guard !identities.isEmpty else { return }
        for index in identities.indices where identities[index] == identity {
            heard[index] = instant
        }
    }
}

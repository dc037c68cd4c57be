import Beacons
import Primitives

/// The beacons that must always be heard, and when each was heard last.
package struct ReferenceWatch: Sendable {
    private let identities: [BeaconIdentity]
    private var heard: [Instant?]

    /// - Parameter identities: a few: each beacon that is heard is compared with all of them.
    package init(_ identities: [BeaconIdentity] = []) {
        self.identities = identities
        heard = identities.map { _ in nil }
    }

    /// Others than `before`: of those that stay it is known when they were heard, and the new ones have their time from
    /// `now` on.
    init(_ identities: [BeaconIdentity], after before: ReferenceWatch, at now: Instant) {
        self.identities = identities
        heard = identities.map { identity in
            let index = before.identities.firstIndex(of: identity)
            return index.map { before.heard[$0] } ?? now
        }
    }

    /// When the one that has been silent for longest was heard; `nil` while one has never been, or where there are none.
    package var longestSilent: Instant? {
        var earliest: Instant?
        for moment in heard {
            guard let moment else { return nil }
            earliest = min(moment, earliest ?? moment)
        }
        return earliest
    }

    /// A beacon was heard.
    @inline(__always)
    package mutating func hear(_ identity: BeaconIdentity, at instant: Instant) {
        guard !identities.isEmpty else { return }
        for index in identities.indices where identities[index] == identity {
            heard[index] = instant
        }
    }
}

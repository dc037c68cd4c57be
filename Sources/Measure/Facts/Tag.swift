import Beacons
import Primitives

/// The pseudonym of a beacon. No fact has an identity.
///
/// The caller derives it from the identity when it parses a message. Equal identities must give equal pseudonyms.
package struct Tag: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (left: Tag, right: Tag) -> Bool { left.rawValue < right.rawValue }
}

extension Tag {
    /// A pseudonym within one run of a program. It hides nothing from a person who knows the identity.
    package init(_ identity: BeaconIdentity) {
        var word: UInt64 = 0
        for part in [identity.high, identity.low, identity.rest] {
            word = SplitMix64.mix(word ^ part &+ SplitMix64.gamma)
        }
        self.init(rawValue: word)
    }
}

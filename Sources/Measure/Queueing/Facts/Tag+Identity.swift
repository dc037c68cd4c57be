import Beacons
import Primitives

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

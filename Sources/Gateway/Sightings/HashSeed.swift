import Beacons

/// A secret in every hash: a sender can't choose identities that collide.
package struct HashSeed: Sendable {
    private let first: UInt64
    private let second: UInt64

    package init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    @inline(__always)
    func hash(_ identity: BeaconIdentity) -> UInt64 {
        fold(
            fold(identity.high ^ first, identity.low ^ second) ^ identity.rest ^ second,
            0x9e37_79b9_7f4a_7c15)
    }

    @inline(__always)
    func hash(_ word: UInt64, _ index: UInt32) -> UInt64 {
        fold(word ^ first, UInt64(index) ^ second)
    }

    /// Both halves of the 128-bit product: every bit of either factor reaches every bit of the result.
    @inline(__always)
    private func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}

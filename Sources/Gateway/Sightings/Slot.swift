/// An entry of the index: a sighting's place in the list, and twelve bits of its identity's hash.
///
/// The bits rule out most slots of other identities without a read of their sightings.
struct Slot {
    static let empty = Slot(rawValue: 0)
    /// The most sightings that can be pointed to.
    static let mostSightings = 0xf_ffff
    private static let placeBits: UInt32 = 20

    /// Below, the place plus one, zero in an empty slot; above, the bits of the hash.
    private let rawValue: UInt32

    private init(rawValue: UInt32) { self.rawValue = rawValue }

    init(index: Int, hash: UInt64) {
        rawValue = Self.mark(of: hash) | UInt32(truncatingIfNeeded: index + 1)
    }

    var isEmpty: Bool { rawValue == 0 }

    var index: Int { (Int(rawValue) & Self.mostSightings) - 1 }

    @inline(__always)
    func mayBe(of hash: UInt64) -> Bool {
        (rawValue ^ Self.mark(of: hash)) >> Self.placeBits == 0
    }

    /// The highest bits: where in the index the slot is, the lowest say.
    private static func mark(of hash: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: hash >> 52) << placeBits
    }
}

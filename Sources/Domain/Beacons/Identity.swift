/// Who a beacon says it is: the organisation's UUID, the store's major and the place's minor number.
///
/// This, never the advertiser's address, is the key of a sighting: addresses rotate, and they are personal data.
@usableFromInline
package struct Identity: Hashable, Sendable {
    @usableFromInline package let uuid: ProximityUUID
    @usableFromInline package let major: UInt16
    @usableFromInline package let minor: UInt16

    @inlinable @inline(__always)
    package init(uuid: ProximityUUID, major: UInt16, minor: UInt16) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    /// Written out, as those of its parts: what the compiler would make is no use to other rooms but through a table.
    @inlinable @inline(__always)
    package static func == (left: Identity, right: Identity) -> Bool {
        left.uuid == right.uuid && left.major == right.major && left.minor == right.minor
    }
}

extension Identity: CustomStringConvertible {
    /// `uuid/major/minor`.
    @usableFromInline
    package var description: String { "\(uuid)/\(major)/\(minor)" }
}

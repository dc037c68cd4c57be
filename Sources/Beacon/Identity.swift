/// Who a beacon says it is: the organisation's UUID, the store's major and the place's minor number.
///
/// This, never the advertiser's address, is the key of a sighting: addresses rotate, and they are personal data.
package struct Identity: Hashable, Sendable {
    package let uuid: ProximityUUID
    package let major: UInt16
    package let minor: UInt16

    @inline(__always)
    package init(uuid: ProximityUUID, major: UInt16, minor: UInt16) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }
}

extension Identity: CustomStringConvertible {
    /// `uuid/major/minor`.
    package var description: String { "\(uuid)/\(major)/\(minor)" }
}

/// The received signal strength that a controller reports with an advertisement, in dBm.
@usableFromInline
package struct RSSI: Hashable, Sendable {
    @usableFromInline package let dBm: Int8

    @inlinable @inline(__always)
    package init(dBm: Int8) { self.dBm = dBm }

    /// 127: the controller did not measure it (Core 5.4 Vol 4 Part E 7.7.65.2).
    package static let notAvailable = RSSI(dBm: 127)

    @inlinable @inline(__always)
    package var isAvailable: Bool { dBm != 127 }

    /// No receiver stands in a field of more than +20 dBm; a report that claims so is discarded and counted.
    @inlinable @inline(__always)
    package var isPlausible: Bool { dBm <= 20 || dBm == 127 }
}

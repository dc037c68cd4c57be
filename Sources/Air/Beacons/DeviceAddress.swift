/// An advertiser's device address and its type, in one integer.
///
/// It separates senders within a window. It is never published, logged or printed; the gateway's
/// own address is the exception.
@usableFromInline
package struct DeviceAddress: Hashable, Sendable {
    /// Bits 0 to 47: the address; bits 48 to 55: its type (0 public, 1 random, …; Core 5.4 Vol 4 Part E 7.7.65.2).
    @usableFromInline package let rawValue: UInt64

    @inlinable @inline(__always)
    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// - Parameters:
    ///   - address: the 48 bits of the address, as a number.
    ///   - type: the address type of the advertising report.
    @inlinable @inline(__always)
    package init(address: UInt64, type: UInt8) {
        rawValue = (address & 0xffff_ffff_ffff) | UInt64(type) << 48
    }

    @inlinable @inline(__always)
    package static func == (left: DeviceAddress, right: DeviceAddress) -> Bool {
        left.rawValue == right.rawValue
    }
}

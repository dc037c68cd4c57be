import Primitives

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

extension DeviceAddress {
    /// The random static address of a gateway whose controller has no address of its own (Core 5.4 Vol 6 Part B 1.3.2.1).
    ///
    /// It follows from the gateway's name, so that it lasts.
    package init(randomStaticOf name: String) {
        let digest = SHA256Digest(of: Array("sightline random static address \(name)".utf8))
        let number = digest.bytes.prefix(6).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(address: number | 0b11 << 46, type: 1)
    }

    /// Whether it is the address that stands for none: controllers without a public address answer with zeros.
    package var isZero: Bool { rawValue << 16 == 0 }

    /// Whether its type is random, not public.
    package var isRandom: Bool { rawValue >> 48 == 1 }

    /// The six bytes of a command's parameter.
    package var littleEndianBytes: [UInt8] {
        (0..<6).map { UInt8(truncatingIfNeeded: rawValue >> UInt64(8 * $0)) }
    }

    /// The text form of the gateway's own address. The gateway never writes other addresses.
    package var text: String {
        littleEndianBytes.reversed().map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined(separator: ":")
    }
}

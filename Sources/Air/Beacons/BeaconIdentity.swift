import Primitives

/// The identity that a beacon advertises: 20 bytes, and the format that gives them their meaning.
///
/// An identity is the key of a sighting. The advertiser's address is not: addresses rotate, and they are personal data.
@usableFromInline
package struct BeaconIdentity: Hashable, Sendable {
    /// The beacon formats that advertise an identity. Stored batches contain the raw values.
    package enum Format: UInt8, CaseIterable, Sendable {
        /// UUID (16 bytes), major (2), minor (2).
        case iBeacon = 0
        /// Namespace (10 bytes), instance (6). The last four bytes are zero.
        case eddystoneUID = 1
        /// Identifier (20 bytes); its first 16 name the organisation.
        case altBeacon = 2
    }

    /// Bytes 0 to 7 in the order of transmission, most significant first.
    @usableFromInline package let high: UInt64
    /// Bytes 8 to 15.
    @usableFromInline package let low: UInt64
    /// Bits 0 to 31: bytes 16 to 19. Bits 32 to 39: the format.
    @usableFromInline package let rest: UInt64

    @inlinable @inline(__always)
    init(high: UInt64, low: UInt64, rest: UInt64) {
        self.high = high
        self.low = low
        self.rest = rest
    }

    /// The compiler's own comparison is not inlined into other rooms.
    @inlinable @inline(__always)
    package static func == (left: BeaconIdentity, right: BeaconIdentity) -> Bool {
        left.high == right.high && left.low == right.low && left.rest == right.rest
    }
}

extension BeaconIdentity {
    /// The identity of an iBeacon.
    @inlinable @inline(__always)
    package init(uuid: ProximityUUID, major: UInt16, minor: UInt16) {
        self.init(
            high: uuid.high, low: uuid.low, rest: UInt64(major) << 16 | UInt64(minor))
    }

    /// The identity of any format.
    ///
    /// - Parameters:
    ///   - prefix: bytes 0 to 15.
    ///   - suffix: bytes 16 to 19, most significant first.
    package init(_ format: Format, prefix: ProximityUUID, suffix: UInt32 = 0) {
        self.init(
            high: prefix.high, low: prefix.low,
            rest: UInt64(format.rawValue) << 32 | UInt64(suffix))
    }

    /// The 20 bytes of `format` that begin at `offset`.
    init(_ format: Format, in bytes: Bytes, at offset: Int) {
        self.init(
            format, prefix: ProximityUUID(in: bytes, at: offset),
            suffix: bytes.bigEndian32(at: offset + 16))
    }

    /// Whether it is the identity of an iBeacon.
    @inlinable @inline(__always)
    package var isIBeacon: Bool { rest >> 32 == 0 }

    package var format: Format {
        Format(rawValue: UInt8(truncatingIfNeeded: rest >> 32)) ?? .iBeacon
    }

    /// Bytes 0 to 15: an iBeacon's UUID.
    @inlinable @inline(__always)
    package var uuid: ProximityUUID { ProximityUUID(high: high, low: low) }

    /// The bytes that name the organisation, then zeros: a UUID, a namespace, or the first 16 bytes of an AltBeacon.
    package var organisation: ProximityUUID {
        switch format {
        case .iBeacon, .altBeacon: uuid
        case .eddystoneUID: ProximityUUID(high: high, low: low & 0xffff_0000_0000_0000)
        }
    }

    /// Bytes 16 to 19.
    package var suffix: UInt32 { UInt32(truncatingIfNeeded: rest) }

    /// Bytes 16 and 17: an iBeacon's major number.
    @inlinable @inline(__always)
    package var major: UInt16 { UInt16(truncatingIfNeeded: rest >> 16) }

    /// Bytes 18 and 19: an iBeacon's minor number.
    @inlinable @inline(__always)
    package var minor: UInt16 { UInt16(truncatingIfNeeded: rest) }

    /// All 20 bytes in the order of transmission.
    package var bytes: [UInt8] {
        uuid.bytes + (0..<4).map { UInt8(truncatingIfNeeded: suffix >> UInt32(24 - 8 * $0)) }
    }
}

extension BeaconIdentity: CustomStringConvertible {
    /// `uuid/major/minor`, `namespace/instance` or the identifier; hexadecimal, lower case.
    @usableFromInline
    package var description: String {
        switch format {
        case .iBeacon: "\(uuid)/\(major)/\(minor)"
        case .eddystoneUID: "\(hexadecimal(0..<10))/\(hexadecimal(10..<16))"
        case .altBeacon: hexadecimal(0..<20)
        }
    }

    /// Some of the 20 bytes as text, two digits each.
    package func hexadecimal(_ range: Range<Int>) -> String {
        bytes[range].reduce(into: "") { text, byte in
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}

extension BeaconIdentity {
    /// The identity that has this description, in any case of letters; `nil` for another text.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        switch parts.count {
        case 3:
            guard let uuid = ProximityUUID(parts[0]), let major = UInt16(parts[1]),
                let minor = UInt16(parts[2])
            else { return nil }
            self.init(uuid: uuid, major: major, minor: minor)
        case 2:
            guard parts[0].utf8.count == 20, parts[1].utf8.count == 12,
                let prefix = ProximityUUID(parts[0] + parts[1])
            else { return nil }
            self.init(.eddystoneUID, prefix: prefix)
        default:
            // A sign is no digit.
            guard text.utf8.count == 40, text.suffix(8).allSatisfy(\.isHexDigit),
                let prefix = ProximityUUID(text.prefix(32)),
                let suffix = UInt32(text.suffix(8), radix: 16)
            else { return nil }
            self.init(.altBeacon, prefix: prefix, suffix: suffix)
        }
    }
}

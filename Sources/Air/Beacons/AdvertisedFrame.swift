import Primitives

/// A frame that a gateway advertises.
package enum AdvertisedFrame: Hashable, Sendable {
    case beacon(BeaconFrame)
    case telemetry(Eddystone.Telemetry)

    /// The advertising data: the Flags structure, then those of the format; at most 31 bytes.
    package var advertisingData: [UInt8] {
        switch self {
        case .beacon(let frame):
            switch frame.identity.format {
            case .iBeacon:
                IBeacon(identity: frame.identity, measuredPower: frame.power).advertisingData
            case .altBeacon: Self.flags + AltBeacon.structure(of: frame)
            case .eddystoneUID: Self.flags + Eddystone.structures(of: EddystoneUID.bytes(of: frame))
            }
        case .telemetry(let telemetry): Self.flags + Eddystone.structures(of: telemetry.bytes)
        }
    }

    /// LE General Discoverable, BR/EDR not supported.
    private static let flags: [UInt8] = [2, ADType.flags, 0x06]
}

extension BeaconIdentity {
    /// The identity of another format that stands for that of an iBeacon.
    ///
    /// An AltBeacon has the same 20 bytes. The namespace of an Eddystone beacon is the UUID without its bytes 5 to 10, as the
    /// Eddystone-UID specification proposes; the instance is two zeros, major and minor.
    package func translated(to format: Format) -> BeaconIdentity {
        switch format {
        case .iBeacon, .altBeacon: return BeaconIdentity(format, prefix: uuid, suffix: suffix)
        case .eddystoneUID:
            let end = low & 0xffff_ffff_ffff
            let namespace = (high & 0xffff_ffff_0000_0000 | end >> 16, (end & 0xffff) << 48)
            return BeaconIdentity(
                format, prefix: ProximityUUID(high: namespace.0, low: namespace.1 | UInt64(suffix)))
        }
    }
}

extension FixedWidthInteger {
    /// Its bytes in the order of transmission, most significant first.
    var bigEndianBytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map {
            UInt8(truncatingIfNeeded: self >> Self($0))
        }
    }
}

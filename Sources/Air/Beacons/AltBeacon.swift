import Primitives

/// The content of an AltBeacon advertisement (AltBeacon specification v1.0).
package struct AltBeacon: Equatable {
    package let company: UInt16
    /// 20 bytes: usually a UUID and two 16-bit numbers.
    package let identity: BeaconIdentity
    /// The RSSI at one metre, in dBm.
    package let referencePower: Int8

    private enum Layout {
        static let code: UInt16 = 0xbeac
        /// Of the specification's example: Radius Networks.
        static let company: UInt16 = 0x0118
        static let identifier = 4
        static let referencePower = 24
        /// Company (2), code (2), identifier (20), reference RSSI (1), reserved (1).
        static let count = 26
    }

    /// - Parameter data: the data of a manufacturer-specific structure, from the company identifier on.
    package init?(_ data: Bytes) {
        guard data.count >= Layout.count, data.bigEndian16(at: 2) == Layout.code else { return nil }
        company = data.littleEndian16(at: 0)
        identity = BeaconIdentity(.altBeacon, in: data, at: Layout.identifier)
        referencePower = Int8(bitPattern: data[Layout.referencePower])
    }

    package var frame: BeaconFrame { BeaconFrame(identity: identity, power: referencePower) }

    /// The AD structure of a frame.
    static func structure(of frame: BeaconFrame) -> [UInt8] {
        var structure = [UInt8(Layout.count + 1), ADType.manufacturerSpecificData]
        structure += Layout.company.byteSwapped.bigEndianBytes
        structure += Layout.code.bigEndianBytes
        structure += frame.identity.bytes
        structure += [UInt8(bitPattern: frame.power), 0]
        return structure
    }
}

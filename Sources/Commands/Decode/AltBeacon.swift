import Beacons
import Primitives

/// What an AltBeacon advertises (AltBeacon specification v1.0).
struct AltBeacon: Equatable {
    let company: UInt16
    /// Twenty bytes: as a rule a UUID and two numbers of 16 bits.
    let identifier: [UInt8]
    /// The RSSI at one metre, in dBm.
    let referencePower: Int8

    private enum Layout {
        static let code: UInt16 = 0xbeac
        static let identifier = 4..<24
        static let referencePower = 24
        /// Company (2), code (2), identifier (20), reference RSSI (1), reserved (1).
        static let count = 26
    }

    /// - Parameter data: those of a manufacturer-specific structure, from the company identifier.
    init?(_ data: Bytes) {
        guard data.count >= Layout.count, data.bigEndian16(at: 2) == Layout.code else { return nil }
        company = data.littleEndian16(at: 0)
        identifier = data.extracting(Layout.identifier).copied()
        referencePower = Int8(bitPattern: data[Layout.referencePower])
    }
}

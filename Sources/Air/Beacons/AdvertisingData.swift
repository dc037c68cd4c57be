import Primitives

/// A walk over the AD structures of an advertisement: length, type, data, again and again
/// (Core 5.4 Vol 3 Part C 11).
///
/// A length of zero ends the significant part; a structure that runs past the end is malformed.
package struct AdvertisingData {
    /// One AD structure; `data` are offsets in the bytes that are walked.
    package struct Structure {
        package let type: UInt8
        package let data: Range<Int>
    }

    /// An AD structure at `offset` claims more bytes than there are.
    package struct Malformed: Error, Equatable {
        package let offset: Int
    }

    private var offset = 0

    @inline(__always)
    package init() {}

    /// The next structure of `bytes`, which must be the same at every step; `nil` after the last.
    @inline(__always)
    package mutating func next(in bytes: Bytes) throws(Malformed) -> Structure? {
        guard offset < bytes.count else { return nil }
        let length = Int(bytes[offset])
        guard length > 0 else { return nil }
        let end = offset + 1 + length
        guard end <= bytes.count else { throw Malformed(offset: offset) }
        defer { offset = end }
        return Structure(type: bytes[offset + 1], data: offset + 2..<end)
    }
}

/// The types of AD structures (Assigned Numbers 2.3).
package enum ADType {
    package static let flags: UInt8 = 0x01
    package static let incompleteServices: UInt8 = 0x02
    package static let completeServices: UInt8 = 0x03
    package static let shortenedName: UInt8 = 0x08
    package static let completeName: UInt8 = 0x09
    package static let txPower: UInt8 = 0x0a
    package static let serviceData: UInt8 = 0x16
    package static let manufacturerSpecificData: UInt8 = 0xff

    /// The specification's name; `nil` for a type that is not in the table.
    package static func name(of type: UInt8) -> String? { names[type] }

    private static let names: [UInt8: String] = [
        0x01: "Flags", 0x02: "Incomplete List of 16-bit Services",
        0x03: "Complete List of 16-bit Services", 0x04: "Incomplete List of 32-bit Services",
        0x05: "Complete List of 32-bit Services", 0x06: "Incomplete List of 128-bit Services",
        0x07: "Complete List of 128-bit Services", 0x08: "Shortened Local Name",
        0x09: "Complete Local Name", 0x0a: "TX Power Level", 0x10: "Device ID",
        0x12: "Peripheral Connection Interval Range", 0x14: "List of 16-bit Solicited Services",
        0x15: "List of 128-bit Solicited Services", 0x16: "Service Data",
        0x17: "Public Target Address", 0x18: "Random Target Address", 0x19: "Appearance",
        0x1a: "Advertising Interval", 0x1b: "LE Bluetooth Device Address", 0x1c: "LE Role",
        0x20: "Service Data of a 32-bit Service", 0x21: "Service Data of a 128-bit Service",
        0x24: "URI", 0x27: "LE Supported Features", 0x2d: "BIGInfo", 0x30: "Broadcast Name",
        0x31: "Encrypted Advertising Data", 0x3d: "3D Information Data",
        0xff: "Manufacturer Specific Data",
    ]
}

import Beacons
import Primitives

/// One AD structure of an advertisement, with its content.
///
/// Unknown content is dropped: it can contain device addresses and names.
struct AdvertisedStructure: Equatable {
    enum Content: Equatable {
        case flags(UInt8)
        /// The name itself is personal data and is dropped.
        case name(isComplete: Bool)
        case txPower(Int8)
        case services([UInt16])
        case iBeacon(IBeacon)
        /// The beginning of an iBeacon, which is none: it ends too early.
        case cutIBeacon
        case altBeacon(AltBeacon)
        case eddystone(Eddystone)
        /// Other manufacturer-specific data. Apple's data has a type.
        case manufacturer(company: UInt16, appleType: UInt8?)
        case serviceData(UInt16)
        case other
    }

    /// The offset in the advertising data.
    let offset: Int
    let type: UInt8
    /// Bytes of its data, without length and type.
    let count: Int
    let content: Content

    /// Apple's company identifier (Assigned Numbers 7.1).
    static let apple: UInt16 = 0x004c

    init(_ structure: AdvertisingData.Structure, of bytes: Bytes) {
        // Length and type stand before the data.
        offset = structure.data.lowerBound - 2
        type = structure.type
        count = structure.data.count
        content = Self.content(structure, of: bytes)
    }

    /// All structures of an advertisement up to the first malformed one, and the offset of that one.
    static func walk(_ bytes: Bytes) -> (structures: [AdvertisedStructure], malformed: Int?) {
        var structures: [AdvertisedStructure] = []
        var walk = AdvertisingData()
        do throws(AdvertisingData.Malformed) {
            while let structure = try walk.next(in: bytes) {
                structures.append(AdvertisedStructure(structure, of: bytes))
            }
            return (structures, nil)
        } catch {
            return (structures, error.offset)
        }
    }

    private static func content(
        _ structure: AdvertisingData.Structure, of bytes: Bytes
    ) -> Content {
        let start = structure.data.lowerBound
        let count = structure.data.count
        switch structure.type {
        case ADType.flags where count >= 1: return .flags(bytes[start])
        case ADType.shortenedName: return .name(isComplete: false)
        case ADType.completeName: return .name(isComplete: true)
        case ADType.txPower where count == 1: return .txPower(Int8(bitPattern: bytes[start]))
        case ADType.incompleteServices, ADType.completeServices:
            return .services((0..<count / 2).map { bytes.littleEndian16(at: start + 2 * $0) })
        case ADType.serviceData where count >= 2:
            let service: UInt16 = bytes.littleEndian16(at: start)
            let frame = bytes.extracting(start + 2..<structure.data.upperBound)
            guard service == Eddystone.service, let eddystone = Eddystone(frame) else {
                return .serviceData(service)
            }
            return .eddystone(eddystone)
        case ADType.manufacturerSpecificData where count >= 2:
            return manufacturer(structure, of: bytes)
        default: return .other
        }
    }

    private static func manufacturer(
        _ structure: AdvertisingData.Structure, of bytes: Bytes
    ) -> Content {
        let start = structure.data.lowerBound
        let company: UInt16 = bytes.littleEndian16(at: start)
        if let beacon = IBeacon(alone: bytes.extracting(start - 2..<structure.data.upperBound)) {
            return .iBeacon(beacon)
        }
        let data = bytes.extracting(start..<structure.data.upperBound)
        if data.count >= 4, data.littleEndian32(at: 0) == IBeacon.prefix { return .cutIBeacon }
        if let beacon = AltBeacon(data) { return .altBeacon(beacon) }
        let hasAppleType = company == apple && structure.data.count > 2
        return .manufacturer(company: company, appleType: hasAppleType ? bytes[start + 2] : nil)
    }
}

extension IBeacon {
    /// The iBeacon in one whole AD structure.
    fileprivate init?(alone structure: Bytes) {
        do throws(AdvertisingData.Malformed) {
            guard let beacon = try IBeacon(advertisingData: structure) else { return nil }
            self = beacon
        } catch {
            return nil
        }
    }
}

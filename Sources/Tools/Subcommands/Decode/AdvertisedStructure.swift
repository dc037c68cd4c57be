import Beacons
import JSON
import Primitives
import Terminal

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

extension AdvertisedStructure {
    /// The structure for programs: `type` and `length` as advertised, and the known content.
    var json: JSON {
        .object(
            [
                .init("type", .integer(Int(type))), .init("name", .string(name)),
                .init("length", .integer(count)),
            ] + contentMembers)
    }

    private var contentMembers: [JSON.Member] {
        switch content {
        case .flags(let flags): return [.init("flags", .integer(Int(flags)))]
        case .name(let isComplete): return [.init("complete", .bool(isComplete))]
        case .txPower(let power): return [.init("txPowerDbm", .integer(Int(power)))]
        case .services(let services):
            let numbers = services.map { JSON.string(Hexadecimal.number($0)) }
            return [.init("services", .array(numbers))]
        case .iBeacon(let beacon):
            return [
                .init("uuid", .string("\(beacon.identity.uuid)")),
                .init("major", .integer(Int(beacon.identity.major))),
                .init("minor", .integer(Int(beacon.identity.minor))),
                .init("measuredPower", .integer(Int(beacon.measuredPower))),
            ]
        case .altBeacon(let beacon):
            return [
                .init("company", .string(Hexadecimal.number(beacon.company))),
                .init("identifier", .string("\(beacon.identity)")),
                .init("referencePower", .integer(Int(beacon.referencePower))),
            ]
        case .eddystone(let frame): return frame.members
        case .cutIBeacon:
            return [
                .init("company", .string(Hexadecimal.number(Self.apple))),
                .init("appleType", .integer(2)),
                .init("missingBytes", .integer(Int(IBeacon.dataCount - count))),
            ]
        case .manufacturer(let company, let appleType):
            let member = JSON.Member("company", .string(Hexadecimal.number(company)))
            return [member] + (appleType.map { [.init("appleType", .integer(Int($0)))] } ?? [])
        case .serviceData(let service):
            return [.init("service", .string(Hexadecimal.number(service)))]
        case .other: return []
        }
    }
}

extension Eddystone {
    fileprivate var members: [JSON.Member] {
        switch self {
        case .uid(let uid):
            [
                .init("namespace", .string(uid.identity.hexadecimal(0..<10))),
                .init("instance", .string(uid.identity.hexadecimal(10..<16))),
                .init("powerAt0m", .integer(Int(uid.power))),
            ]
        case .url(let url, let power):
            [.init("url", .string(url)), .init("powerAt0m", .integer(Int(power)))]
        case .telemetry(let telemetry):
            [
                .init("millivolts", telemetry.millivolts.map { .integer(Int($0)) } ?? .null),
                .init(
                    "temperature",
                    telemetry.temperature.map { .number(Double($0) / 256) } ?? .null),
                .init("advertisements", .integer(Int(telemetry.advertisements))),
                .init("uptimeMs", .integer(Int(telemetry.uptime) * 100)),
            ]
        case .encryptedTelemetry: []
        case .ephemeral(let identifier, let power):
            [
                .init("ephemeral", .string(Hexadecimal.text(identifier))),
                .init("powerAt0m", .integer(Int(power))),
            ]
        }
    }
}

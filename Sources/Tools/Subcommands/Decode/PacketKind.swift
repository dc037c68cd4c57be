import Beacons
import HCI
import Primitives

/// The kind of the bytes on the command line, by their form.
enum PacketKind: Equatable {
    /// An event with the type byte of H4 before it.
    case h4Event
    case event
    case h4Command
    case advertisingData
    /// The data of a manufacturer-specific structure, without its length and type.
    case manufacturerData

    var description: String {
        switch self {
        case .h4Event: "HCI event with its H4 type byte"
        case .event: "HCI event without an H4 type byte"
        case .h4Command: "HCI command with its H4 type byte"
        case .advertisingData: "advertising data"
        case .manufacturerData:
            "data of a manufacturer-specific structure, without its length and type"
        }
    }

    /// The first bytes of an iBeacon's manufacturer-specific data.
    private static let iBeaconPrefix: [UInt8] = [0x4c, 0x00, 0x02, 0x15]

    /// Valid and complete data determines its kind; otherwise the first bytes do.
    init(of bytes: [UInt8]) {
        let isWholeEvent = bytes.count >= 2 && bytes.count == 2 + Int(bytes[1])
        let isWholeH4Event =
            bytes.count >= 3 && bytes[0] == H4.PacketType.event.rawValue
            && bytes.count == 3 + Int(bytes[2])
        let isWholeCommand =
            bytes.count >= 4 && bytes[0] == H4.PacketType.command.rawValue
            && bytes.count == 4 + Int(bytes[3])
        let walk = bytes.withBytes { AdvertisedStructure.walk($0) }
        let isAdvertisingData = walk.malformed == nil && !walk.structures.isEmpty
        let looksLikeH4Event =
            bytes.first == H4.PacketType.event.rawValue
            && Self.looksLikeAdvertisingEvent(bytes.dropFirst())
        let knownCodes = [
            Event.Code.leMeta, Event.Code.commandComplete, Event.Code.commandStatus,
            Event.Code.hardwareError,
        ]
        let isKnownH4Event = isWholeH4Event && knownCodes.contains(bytes[1])
        if looksLikeH4Event || isKnownH4Event || (isWholeH4Event && !isAdvertisingData) {
            self = .h4Event
        } else if Self.looksLikeAdvertisingEvent(bytes[...])
            || (isWholeEvent && bytes.first.map(knownCodes.contains) ?? false)
        {
            self = .event
        } else if isAdvertisingData {
            self = .advertisingData
        } else if isWholeCommand {
            self = .h4Command
        } else if bytes.starts(with: Self.iBeaconPrefix) {
            self = .manufacturerData
        } else {
            self = .advertisingData
        }
    }

    /// Event code and subevent are those of advertising reports.
    private static func looksLikeAdvertisingEvent(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.first == Event.Code.leMeta, let subevent = bytes.dropFirst(2).first else {
            return false
        }
        return subevent == Event.LESubevent.advertisingReport
            || subevent == Event.LESubevent.extendedAdvertisingReport
    }
}

/// The PDU of a report by its event type (Core 5.4 Vol 4 Part E 7.7.65.2, 7.7.65.13).
struct PDU: Equatable {
    /// The name in the specification, or the properties: `ADV_IND`, `extended connectable`.
    let name: String

    init(eventType: UInt16, isExtended: Bool) {
        name =
            if !isExtended {
                Self.legacyNames[eventType] ?? "event type \(Hexadecimal.number(eventType))"
            } else if eventType & Bits.legacy != 0 {
                Self.legacyNamesInExtendedReports[eventType & 0x1f]
                    ?? "event type \(Hexadecimal.number(eventType))"
            } else {
                Self.extendedName(eventType)
            }
    }

    private enum Bits {
        static let legacy: UInt16 = 0x10
        /// 1: more data to come, 2: truncated.
        static let dataStatus: UInt16 = 0x60
    }

    private static let legacyNames: [UInt16: String] = [
        0x00: "ADV_IND", 0x01: "ADV_DIRECT_IND", 0x02: "ADV_SCAN_IND", 0x03: "ADV_NONCONN_IND",
        0x04: "SCAN_RSP",
    ]

    private static let legacyNamesInExtendedReports: [UInt16: String] = [
        0x13: "ADV_IND", 0x15: "ADV_DIRECT_IND", 0x12: "ADV_SCAN_IND", 0x10: "ADV_NONCONN_IND",
        0x1a: "SCAN_RSP", 0x1b: "SCAN_RSP",
    ]

    private static func extendedName(_ eventType: UInt16) -> String {
        let properties = ["connectable", "scannable", "directed", "scan response"]
        var words = properties.indices.filter { eventType & 1 << UInt16($0) != 0 }
            .map { properties[$0] }
        switch eventType & Bits.dataStatus {
        case 0x20: words.append("more to come")
        case 0x40: words.append("truncated")
        default: break
        }
        return (["extended"] + words).joined(separator: " ")
    }
}

/// The kind of an advertiser's address. The output shows no other part of an address.
enum AddressKind: String, CaseIterable, Hashable {
    case `public` = "public"
    case randomStatic = "random static"
    case resolvable = "resolvable private"
    case nonResolvable = "non-resolvable private"
    case reserved = "random of a reserved kind"
    case anonymous = "anonymous"
    case unknown = "of an unknown type"
    /// The sender's controller has no public address, and its host has given it no other one.
    case none = "none (00:00:00:00:00:00)"

    /// Core 5.4 Vol 6 Part B 1.3, and the address types of Vol 4 Part E 7.7.65.13.
    init(_ address: DeviceAddress) {
        switch address.rawValue >> 48 & 0xff {
        case 0x00, 0x02: self = address.isZero ? .none : .public
        case 0x01, 0x03:
            switch address.rawValue >> 46 & 3 {
            case 0b11: self = .randomStatic
            case 0b01: self = .resolvable
            case 0b00: self = .nonResolvable
            default: self = .reserved
            }
        case 0xff: self = .anonymous
        default: self = .unknown
        }
    }
}

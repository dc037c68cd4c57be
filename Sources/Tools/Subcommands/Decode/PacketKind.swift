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

import Beacons
import HCI
import Primitives

/// The fields of a packet with their offsets and meanings.
struct Dissection {
    struct Field: Equatable {
        /// From the first byte of the input.
        let offset: Int
        /// Empty for private content.
        let bytes: [UInt8]
        let name: String
        let meaning: String
    }

    let kind: PacketKind
    private(set) var fields: [Field] = []
    /// The first fault, with its offset.
    private(set) var fault: String?
    let bytes: [UInt8]
    /// The start of the packet in `bytes`.
    var base = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        kind = PacketKind(of: bytes)
        switch kind {
        case .h4Event:
            add(0, 1, "packet type", "event")
            base = 1
            readEvent()
        case .event: readEvent()
        case .h4Command: readCommand()
        case .advertisingData: readAdvertisingData(0..<bytes.count)
        case .manufacturerData: readManufacturerData()
        }
    }

    /// Adds a field at `offset` from the start of the packet.
    ///
    /// - Parameter isShown: `false` hides private bytes.
    mutating func add(
        _ offset: Int, _ count: Int, _ name: String, _ meaning: String, isShown: Bool = true
    ) {
        let start = min(base + offset, bytes.count)
        let end = min(start + count, bytes.count)
        fields.append(
            Field(
                offset: start, bytes: isShown ? Array(bytes[start..<end]) : [], name: name,
                meaning: meaning))
    }

    /// Notes a fault. The first one counts.
    mutating func note(_ sentence: String) { fault = fault ?? sentence }

    private mutating func readCommand() {
        add(0, 1, "packet type", "command")
        let opcode = Opcode(rawValue: UInt16(bytes[1]) | UInt16(bytes[2]) << 8)
        add(1, 2, "opcode", "\(opcode)")
        add(3, 1, "length", count(Int(bytes[3]), "byte"))
        if bytes.count > 4 {
            add(4, 0, "parameters", count(bytes.count - 4, "byte"), isShown: false)
        }
    }

    private mutating func readManufacturerData() {
        // With length and type before it, the data is a complete structure.
        let whole = [UInt8(truncatingIfNeeded: bytes.count + 1), 0xff] + bytes
        let walk = whole.withBytes { AdvertisedStructure.walk($0) }
        guard bytes.count < 255, let structure = walk.structures.first,
            case .iBeacon(let beacon) = structure.content
        else {
            note("the data of an iBeacon has 25 bytes, but ends at byte \(bytes.count)")
            add(0, 4, "manufacturer data", count(bytes.count, "byte"))
            return
        }
        addIBeacon(beacon, at: 0, count: bytes.count)
    }
}

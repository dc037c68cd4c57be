import Beacons
import HCI
import Primitives

/// A packet field by field: what stands where, and what it means.
struct Dissection {
    /// One field.
    struct Field: Equatable {
        /// Its first byte, from the start of what was given.
        let offset: Int
        /// Its bytes; none where they may not be shown.
        let bytes: [UInt8]
        let name: String
        let meaning: String
    }

    let kind: PacketKind
    private(set) var fields: [Field] = []
    /// What is wrong, with the byte where it is: one sentence, without a full stop.
    private(set) var fault: String?
    let bytes: [UInt8]
    /// Where the packet that is being read begins in `bytes`: offsets are shown from the start of all.
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

    /// Notes a field at `offset` from the packet's start; `isShown` is for what must not be seen.
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

    /// Notes what is wrong; the first fault counts.
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
        // With length and type before them, they are a structure like any other.
        let whole = [UInt8(truncatingIfNeeded: bytes.count + 1), 0xff] + bytes
        let walk = whole.withBytes { AdvertisedStructure.walk($0) }
        guard bytes.count < 255, let structure = walk.structures.first,
            case .iBeacon(let beacon) = structure.content
        else {
            note("an iBeacon's data are 25 bytes; at byte \(bytes.count) they end")
            add(0, 4, "manufacturer data", count(bytes.count, "byte"))
            return
        }
        addIBeacon(beacon, at: 0, count: bytes.count)
    }
}

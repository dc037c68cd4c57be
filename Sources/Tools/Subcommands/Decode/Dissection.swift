import Beacons
import HCI
import JSON
import Primitives
import Terminal

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

extension Dissection {
    private static let shownBytes = 8

    /// The packet for people: its kind, and a line per field.
    var lines: [String] {
        var table = TextTable([.right("BYTE"), .left("HEX"), .left("FIELD"), .left("MEANING")])
        for field in fields {
            var hex = Hexadecimal.text(field.bytes.prefix(Self.shownBytes), separator: " ")
            if field.bytes.count > Self.shownBytes { hex += " …" }
            table.rows.append([String(field.offset), hex, field.name, field.meaning])
        }
        return ["\(kind.description), \(count(bytes.count, "byte"))"]
            + (fields.isEmpty ? [] : table.lines)
    }

    /// The packet for programs.
    var json: JSON {
        let fields = fields.map { field in
            JSON.object([
                .init("offset", .integer(field.offset)),
                .init("hex", .string(Hexadecimal.text(field.bytes))),
                .init("field", .string(String(field.name.drop { $0 == " " || $0 == "–" }))),
                .init("meaning", .string(field.meaning)),
            ])
        }
        return .object([
            .init("type", .string("packet")), .init("kind", .string(kind.description)),
            .init("bytes", .integer(bytes.count)),
            .init("fields", .array(fields)), .init("fault", fault.map { .string($0) } ?? .null),
        ])
    }
}

extension Dissection {
    /// Reads the AD structures in `range` of the packet.
    mutating func readAdvertisingData(_ range: Range<Int>) {
        let data = Array(bytes[base + range.lowerBound..<base + range.upperBound])
        let walk = data.withBytes { AdvertisedStructure.walk($0) }
        var end = 0
        for structure in walk.structures {
            add(structure, at: range.lowerBound + structure.offset)
            end = structure.offset + 2 + structure.count
        }
        if let offset = walk.malformed {
            let place = base + range.lowerBound + offset
            let left = data.count - offset - 1
            note(
                "the AD structure at byte \(place) claims \(count(Int(data[offset]), "byte")),"
                    + " but \(left) \(left == 1 ? "is" : "are") left")
        } else if end < data.count {
            // Usually zeros.
            add(range.lowerBound + end, 0, "padding", count(data.count - end, "byte"))
        }
    }

    private mutating func add(_ structure: AdvertisedStructure, at offset: Int) {
        switch structure.content {
        case .iBeacon(let beacon):
            add(offset, 2, structure.name, count(structure.count, "byte"))
            addIBeacon(beacon, at: offset + 2, count: structure.count)
        case .altBeacon(let beacon):
            add(offset, 2, structure.name, count(structure.count, "byte"))
            add(offset + 2, 2, "  company", AdvertisedStructure.company(beacon.company))
            add(offset + 4, 2, "  code", "AltBeacon")
            add(offset + 6, 20, "  identifier", "\(beacon.identity)")
            add(offset + 26, 1, "  reference power", "\(beacon.referencePower) dBm at 1 m")
        default:
            // Other known content fits on one line. Unknown content is hidden.
            let isUnderstood =
                switch structure.content {
                case .flags, .txPower, .services, .eddystone: true
                default: false
                }
            add(
                offset, isUnderstood ? structure.count + 2 : 2, structure.name,
                structure.meaning ?? count(structure.count, "byte"))
        }
    }

    /// Adds the fields of an iBeacon.
    ///
    /// - Parameter offset: of the company identifier.
    mutating func addIBeacon(_ beacon: IBeacon, at offset: Int, count length: Int) {
        add(offset, 2, "  company", AdvertisedStructure.company(AdvertisedStructure.apple))
        add(offset + 2, 2, "  type", "iBeacon")
        add(offset + 4, 16, "  UUID", "\(beacon.identity.uuid)")
        add(offset + 20, 2, "  major", String(beacon.identity.major))
        add(offset + 22, 2, "  minor", String(beacon.identity.minor))
        add(offset + 24, 1, "  measured power", "\(beacon.measuredPower) dBm at 1 m")
        if length > 25 {
            add(
                offset + 25, length - 25, "  more",
                "\(count(length - 25, "byte")) of the manufacturer")
        }
    }
}

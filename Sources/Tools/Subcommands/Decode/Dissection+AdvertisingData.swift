import Beacons
import Primitives

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

import Beacons
import Primitives

/// What an advertiser that is no iBeacon sends: a new address every quarter of an hour, and data of several kinds.
struct NoiseContent: Sendable {
    /// The usual life of a private address (Core 5.4 Vol 3 Part C Appendix A).
    private static let life: Duration = .seconds(900)

    private let random: SeededRandom
    private let entity: UInt64

    init(_ random: SeededRandom, entity: UInt64) {
        self.random = random
        self.entity = entity
    }

    func advertisement(at time: Instant, rssi: RSSI) -> Advertisement {
        // Not everybody changes at the same moment.
        let shift = random.part(of: Self.life, .address, entity)
        let turn = (time + shift).stretch(of: Self.life)
        // A private address has 01 in its two upper bits (Core 5.4 Vol 6 Part B 1.3.2).
        let address = random.word(.address, entity, turn) & 0x3fff_ffff_ffff | 0x4000_0000_0000
        let (kind, data) = content(random.word(.noiseData, entity, turn))
        return Advertisement(
            time: time, sender: DeviceAddress(address: address, type: 1), kind: kind, data: data,
            rssi: rssi)
    }

    private func content(_ word: UInt64) -> (Advertisement.Kind, [UInt8]) {
        let bytes = word.littleEndianBytesOfWord
        return switch word >> 56 {
        // A quarter of all reports in the field have no data at all.
        case 0..<64: (.connectable, [])
        // Apple's other kinds, which must not pass for iBeacons: 0x10 nearby, 0x0c handoff.
        case 64..<160:
            (.connectable, [2, 0x01, 0x1a, 10, 0xff, 0x4c, 0x00, 0x10, 0x05] + bytes.prefix(5))
        case 160..<208:
            (.nonConnectable, [11, 0xff, 0x4c, 0x00, 0x0c, 0x06] + bytes.prefix(6))
        // Service data of a member service.
        default:
            (
                .scannable,
                [2, 0x01, 0x06, 3, 0x03, 0x9f, 0xfe, 7, 0x16, 0x9f, 0xfe] + bytes.prefix(4)
            )
        }
    }
}

extension UInt64 {
    fileprivate var littleEndianBytesOfWord: [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64(8 * $0)) }
    }
}

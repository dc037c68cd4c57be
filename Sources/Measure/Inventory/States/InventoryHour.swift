import Facts
import Primitives

/// What an hour has taught about a network: a row of the store. It has no identity, but tags.
package struct InventoryHour: Equatable, Sendable {
    /// Of one beacon at one gateway.
    package struct Sample: Equatable, Sendable {
        /// The index in `gateways`.
        let gateway: Int
        /// The median, in dBm.
        let level: Int
        let reports: Int
    }

    /// As the store has it; 0 stands for none.
    enum Change: UInt8 {
        case moved = 1
        case slower = 2
    }

    /// Of one beacon that was heard.
    struct Beacon: Equatable, Sendable {
        let tag: Tag
        /// Seconds after the start of the hour.
        let last: Int
        let samples: [Sample]
        let millivolts: Int?
        /// The change to which the hour belongs: then it teaches nothing.
        var change: Change?
    }

    package let start: UnixTime
    let gateways: [String]
    /// The seconds in which each gateway listened.
    let known: [Int]
    let exposure: Int
    /// Those of the silences that were among the longest.
    let silences: [Int32]
    var beacons: [Beacon]
}

/// The bytes of the store.
extension InventoryHour {
    private static let version: UInt8 = 1
    private static let mostGateways: UInt64 = 1024
    private static let mostBeacons: UInt64 = 100_000

    package var stored: [UInt8] {
        var writer = ByteWriter(capacity: 64 + beacons.count * 24)
        writer.put(byte: Self.version)
        writer.put(UInt64(gateways.count))
        for (name, known) in zip(gateways, known) {
            writer.put(name)
            writer.put(UInt64(known))
        }
        writer.put(UInt64(exposure))
        writer.put(UInt64(silences.count))
        for silence in silences { writer.put(UInt64(silence)) }
        writer.put(UInt64(beacons.count))
        for beacon in beacons {
            writer.put(fixed: beacon.tag.rawValue)
            writer.put(UInt64(beacon.last))
            writer.put(byte: beacon.change?.rawValue ?? 0)
            writer.put(UInt64(beacon.millivolts ?? 0))
            writer.put(UInt64(beacon.samples.count))
            for sample in beacon.samples {
                writer.put(UInt64(sample.gateway))
                writer.put(signed: sample.level)
                writer.put(UInt64(min(sample.reports, Int(Int32.max))))
            }
        }
        return writer.bytes
    }

    package init(stored bytes: [UInt8], start: UnixTime) throws(DecodeError) {
        var reader = ByteReader(bytes[...])
        guard try reader.byte() == Self.version else { throw DecodeError(offset: 0) }
        self.start = start
        var gateways: [String] = []
        var known: [Int] = []
        for _ in 0..<(try reader.count(atMost: Self.mostGateways)) {
            gateways.append(try reader.text(atMost: 256))
            known.append(try reader.count(atMost: 3600))
        }
        exposure = try reader.count(atMost: UInt64(Int32.max))
        var silences: [Int32] = []
        for _ in 0..<(try reader.count(atMost: UInt64(SilencePool.most))) {
            silences.append(Int32(try reader.count(atMost: UInt64(Int32.max))))
        }
        var beacons: [Beacon] = []
        for _ in 0..<(try reader.count(atMost: Self.mostBeacons)) {
            let tag = Tag(rawValue: try reader.fixed())
            let last = try reader.count(atMost: 3600)
            let change = Change(rawValue: try reader.byte())
            let millivolts = try reader.count(atMost: UInt64(UInt16.max))
            var samples: [Sample] = []
            for _ in 0..<(try reader.count(atMost: Self.mostGateways)) {
                let gateway = try reader.count(atMost: UInt64(max(0, gateways.count - 1)))
                let level = try reader.signed(within: 127)
                let reports = try reader.count(atMost: UInt64(Int32.max))
                guard gateway < gateways.count else { throw DecodeError(offset: 0) }
                samples.append(
                    Sample(gateway: gateway, level: Int(level), reports: reports))
            }
            beacons.append(
                Beacon(
                    tag: tag, last: last, samples: samples,
                    millivolts: millivolts == 0 ? nil : millivolts, change: change))
        }
        (self.gateways, self.known) = (gateways, known)
        (self.silences, self.beacons) = (silences, beacons)
    }
}

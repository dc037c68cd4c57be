import Primitives
import Sightings
import TestVectors
import Testing

@testable import Agent

/// Extended advertising data in several reports (Core 5.4 Vol 4 Part E 7.7.65.13).
@Suite struct FragmentTests {
    private static let complete = 0x00
    private static let moreToCome = 0x20
    private static let truncated = 0x40

    /// 256 bytes of service data, in which an iBeacon's structure begins at byte 229.
    private static let serviceData: [UInt8] =
        hex("ff 16 1a18")  // 255 bytes, service data of UUID 0x181a
        + [UInt8](repeating: 0xaa, count: 225) + Advertisements.iBeacon(66)
    /// 262 bytes: the service data, flags, and a structure without data.
    private static let long: [UInt8] = serviceData + hex("02 01 06") + hex("02 0a 00")

    /// One event with one report of an advertising set.
    private static func event(
        _ status: Int, _ data: ArraySlice<UInt8>, sender: UInt8 = 0x66, set: UInt8 = 3
    ) -> [UInt8] {
        hex("3e") + [UInt8(26 + data.count)] + hex("0d 01")
            + [UInt8(status), 0x00]  // no legacy PDU, not connectable; data status
            + [0x01, sender] + hex("55 44 33 22 c1")  // random address
            + hex("01 01") + [set]  // LE 1M twice, advertising set
            + hex("7f c4 0000")  // no transmit power, RSSI -60, not periodic
            + hex("00 000000000000")  // no target
            + [UInt8(data.count)] + data
    }

    /// Counts events, 1 ms after each other.
    private static func hear(_ events: [[UInt8]], spacing: Int64 = 1000) -> Batch? {
        var listener = Listener(
            Windows(Windows.Settings(), from: Instant(microseconds: 0), seed: HashSeed(1, 2)),
            Batcher(Batcher.Settings()))
        var batches: [Batch] = []
        var time: Int64 = 0
        for event in events {
            time += spacing
            event.withBytes {
                listener.process($0, at: Instant(microseconds: time)) { batches.append($0) }
            }
        }
        listener.finish { batches.append($0) }
        return batches.last
    }

    @Test("an advertisement of 262 bytes in two fragments is read as a whole")
    func joins() throws {
        let batch = try #require(
            Self.hear([
                Self.event(Self.moreToCome, Self.long.prefix(229)),
                Self.event(Self.complete, Self.long.dropFirst(229)),
            ]))
        // Its second fragment begins like an iBeacon, which is inside the service data.
        #expect(batch.sightings.isEmpty)
        #expect(batch.radio?.malformed == 0)
        #expect(batch.radio?.reports == 2)
    }

    @Test("an iBeacon that is split between two fragments is sighted once")
    func splitBeacon() throws {
        let data = hex("02 01 06") + Advertisements.iBeacon(7)
        for cut in 1..<data.count {
            let batch = try #require(
                Self.hear([
                    Self.event(Self.moreToCome, data[..<cut]),
                    Self.event(Self.complete, data[cut...]),
                ]))
            #expect(batch.sightings.map(\.identity.minor) == [7], "cut at \(cut)")
            #expect(batch.sightings.map(\.count) == [1])
            #expect(batch.radio?.malformed == 0)
        }
    }

    @Test("a report that no advertisement completes counts as a fragment, and as nothing else")
    func incomplete() throws {
        let endless = try #require(
            Self.hear((0..<10).map { Self.event(Self.moreToCome, [0x11, UInt8($0)]) }))
        #expect(endless.radio?.reports == 10 && endless.radio?.fragments == 10)
        let late = try #require(
            Self.hear(
                [
                    Self.event(Self.moreToCome, Self.long.prefix(229)),
                    Self.event(Self.complete, Self.long.dropFirst(229)),
                ], spacing: 10_000_000))
        #expect(late.radio?.fragments == 1 && late.sightings.isEmpty)
    }

    @Test("a beacon that is whole in a beginning is sighted once, whatever becomes of the rest")
    func wholeBeginning() throws {
        let first = Advertisements.iBeacon(7) + Self.long.prefix(100)
        let rest = Self.event(Self.complete, Self.long.dropFirst(100))
        let endless = try #require(
            Self.hear((0..<10).map { _ in Self.event(Self.moreToCome, first[...]) }))
        #expect(endless.sightings.map(\.count) == [10] && endless.radio?.fragments == 0)
        let completed = try #require(Self.hear([Self.event(Self.moreToCome, first[...]), rest]))
        #expect(completed.sightings.map(\.count) == [1])
        #expect(completed.radio?.beacons == 1 && completed.radio?.fragments == 1)
    }

    @Test("fragments of other addresses and sets in between do not mix")
    func interleaves() throws {
        let first = hex("02 01 06") + Advertisements.iBeacon(1)
        let second = Advertisements.iBeacon(2)
        let third = Advertisements.iBeacon(3)
        let batch = try #require(
            Self.hear([
                Self.event(Self.moreToCome, first.prefix(9)),
                Self.event(Self.moreToCome, second.prefix(14), sender: 0x67),
                Self.event(Self.moreToCome, third.prefix(5), set: 4),
                Self.event(Self.complete, second.dropFirst(14), sender: 0x67),
                Self.event(Self.complete, third.dropFirst(5), set: 4),
                Self.event(Self.complete, first.dropFirst(9)),
            ]))
        #expect(batch.sightings.map(\.identity.minor) == [2, 3, 1])
        #expect(batch.radio?.malformed == 0)
    }

    @Test("a truncated report is read up to its end, and is not malformed")
    func truncatedReport() throws {
        let beacon = Advertisements.iBeacon(7)
        let whole = try #require(
            Self.hear([Self.event(Self.truncated, beacon + Self.long.prefix(150))]))
        #expect(whole.sightings.map(\.identity.minor) == [7])
        #expect(whole.radio?.malformed == 0)
        let cut = try #require(Self.hear([Self.event(Self.truncated, Self.long.prefix(229))]))
        #expect(cut.sightings.isEmpty)
        #expect(cut.radio?.malformed == 0 && cut.radio?.reports == 1)
        let second = try #require(
            Self.hear([
                Self.event(Self.moreToCome, Self.long.prefix(229)),
                Self.event(Self.truncated, Self.long[229..<256]),
            ]))
        #expect(second.sightings.isEmpty)
        #expect(second.radio?.malformed == 0 && second.radio?.reports == 2)
    }

    @Test("complete data with a structure that is too long is malformed, also in fragments")
    func malformed() throws {
        let data = Self.long.prefix(255)
        #expect(Self.hear([Self.event(Self.complete, data.prefix(200))])?.radio?.malformed == 1)
        let batch = try #require(
            Self.hear([
                Self.event(Self.moreToCome, data.prefix(229)),
                Self.event(Self.complete, data.dropFirst(229)),
            ]))
        #expect(batch.radio?.malformed == 1)
        #expect(batch.sightings.isEmpty)
    }

    @Test("a legacy report is complete, whatever its event type's other bits are")
    func legacy() throws {
        var report = Advertisements.legacyReport(Advertisements.iBeacon(1))
        report[0] |= 0x20
        let batch = try #require(Self.hear([Advertisements.legacyEvent(report, report)]))
        #expect(batch.sightings.map(\.count) == [2])
    }
}

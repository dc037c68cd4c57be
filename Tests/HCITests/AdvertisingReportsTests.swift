import Beacons
import TestVectors
import Testing

@testable import HCI

@Suite struct AdvertisingReportsTests {
    struct Seen: Equatable {
        var eventType: UInt16
        var sender: DeviceAddress
        var rssi: Int8
        var data: String
    }

    /// All reports of an event, and the offset at which it turned out to be malformed.
    private static func read(_ bytes: [UInt8]) -> (seen: [Seen], malformed: Int?)? {
        bytes.withBytes { bytes in
            guard var reports = AdvertisingReports(event: bytes) else { return nil }
            var seen: [Seen] = []
            do throws(AdvertisingReports.Malformed) {
                while let report = try reports.next(in: bytes) {
                    let data = bytes.extracting(report.data).copied()
                    seen.append(
                        Seen(
                            eventType: report.eventType, sender: report.sender,
                            rssi: report.rssi.dBm, data: digits(data)))
                }
                return (seen, nil)
            } catch {
                let next = try? reports.next(in: bytes)
                #expect(next == nil, "nothing can be found behind a report that is cut short")
                return (seen, error.offset)
            }
        }
    }

    private static let data =
        "0201041aff4c0002158deefbb9f7384297804096668bb4428113880f4ec1"
    private static let first = """
        03                      # non-connectable
        01                      # random address
        66 55 44 33 22 c1       # C1:22:33:44:55:66
        1e                      # 30 bytes
        02 01 04                # flags
        1a ff 4c00 0215         # iBeacon
        8deefbb9 f738 4297 8040 96668bb44281
        1388 0f4e c1
        bb                      # RSSI: -69 dBm, behind the data

        """
    private static let second = """
        00                      # connectable
        00                      # public address
        67 55 44 33 22 01       # 01:22:33:44:55:67
        1b                      # 27 bytes, no flags
        1a ff 4c00 0215
        8deefbb9 f738 4297 8040 96668bb44281
        1388 0f4f c1
        b0                      # RSSI: -80 dBm

        """
    private static let extended = """
        13 00                   # legacy PDU: ADV_IND
        00                      # public address
        67 55 44 33 22 01
        01 00                   # LE 1M, no secondary
        ff                      # no set identifier
        7f                      # no transmit power
        b9                      # RSSI: -71 dBm, before the data
        00 00                   # not periodic
        00 00 00 00 00 00 00    # no target
        11                      # 17 bytes
        10 16 1a18 010203040506 0102 284f 0b6720

        """
    private static let firstSeen = Seen(
        eventType: 0x03, sender: DeviceAddress(address: 0xc122_3344_5566, type: 1), rssi: -69,
        data: data)
    private static let secondSeen = Seen(
        eventType: 0x00, sender: DeviceAddress(address: 0x0122_3344_5567, type: 0), rssi: -80,
        data: "1aff4c0002158deefbb9f7384297804096668bb4428113880f4fc1")
    private static let extendedSeen = Seen(
        eventType: 0x13, sender: DeviceAddress(address: 0x0122_3344_5567, type: 0), rssi: -71,
        data: "10161a180102030405060102284f0b6720")

    @Test("a legacy event with one report is read")
    func oneReport() throws {
        let result = try #require(Self.read(hex("3e 2a 02 01\n" + Self.first)))
        #expect(result.seen == [Self.firstSeen])
        #expect(result.malformed == nil)
    }

    @Test("a legacy event with two consecutive reports is read")
    func twoReports() throws {
        let event = hex("3e 4f 02 02\n" + Self.first + Self.second)
        let result = try #require(Self.read(event))
        #expect(result.seen == [Self.firstSeen, Self.secondSeen])
        #expect(result.malformed == nil)
    }

    @Test("extended events with one and with two reports are read")
    func extendedReports() throws {
        let one = try #require(Self.read(hex("3e 2b 0d 01\n" + Self.extended)))
        #expect(one.seen == [Self.extendedSeen])
        let two = try #require(Self.read(hex("3e 54 0d 02\n" + Self.extended + Self.extended)))
        #expect(two.seen == [Self.extendedSeen, Self.extendedSeen])
        #expect(two.malformed == nil)
    }

    @Test("a report without data, and an unavailable RSSI, are read")
    func empty() throws {
        let result = try #require(
            Self.read(hex("3e 0c 02 01 04 01 66 55 44 33 22 c1 00 7f")))
        #expect(
            result.seen == [
                Seen(eventType: 4, sender: Self.firstSeen.sender, rssi: 127, data: "")
            ])
        #expect(result.malformed == nil)
    }

    @Test("an event with a report count of zero has no reports")
    func none() throws {
        let result = try #require(Self.read(hex("3e 02 02 00")))
        #expect(result.seen.isEmpty && result.malformed == nil)
    }

    @Test(
        "a truncated report keeps the reports before it, wherever the cut is",
        arguments: 1...37)
    func truncated(missing: Int) throws {
        let whole = hex("3e 4f 02 02\n" + Self.first + Self.second)
        let result = try #require(Self.read(whole.dropLast(missing)))
        #expect(result.seen == [Self.firstSeen])
        #expect(result.malformed == 44)
        // The same when the event's own length says so, and what follows is something else's.
        var shortened = whole
        shortened[1] -= UInt8(missing)
        let claimed = try #require(Self.read(shortened))
        #expect(claimed.seen == [Self.firstSeen])
        #expect(claimed.malformed == 44)
    }

    @Test("a truncated extended report keeps the reports before it", arguments: 1...41)
    func truncatedExtended(missing: Int) throws {
        let whole = hex("3e 54 0d 02\n" + Self.extended + Self.extended)
        let result = try #require(Self.read(whole.dropLast(missing)))
        #expect(result.seen == [Self.extendedSeen])
        #expect(result.malformed == 45)
    }

    @Test("a report count above the number of reports yields these reports and one malformed")
    func overannounced() throws {
        let result = try #require(Self.read(hex("3e 2a 02 ff\n" + Self.first)))
        #expect(result.seen == [Self.firstSeen])
        #expect(result.malformed == 44)
    }

    @Test(
        "other events have no reports",
        arguments: [
            "", "3e", "3e 02 02", "3e 01 02 01", "3e 02 03 01", "04 3e 02 02", "0e 02 02 01",
        ])
    func others(text: String) {
        #expect(Self.read(hex(text)) == nil)
    }
}

import Beacons
import HCI
import Primitives
import Testing

@testable import VirtualRadio

@Suite struct ReportTests {
    private func advertisement(
        _ time: Int64, sender: UInt64 = 0xc122_3344_5566, data: [UInt8] = [2, 1, 6],
        rssi: Int8 = -69
    ) -> Advertisement {
        Advertisement(
            time: .microseconds(time), sender: DeviceAddress(address: sender, type: 1),
            kind: .nonConnectable,
            data: data, rssi: RSSI(dBm: rssi),
            identity: BeaconIdentity(uuid: organisation, major: 1, minor: UInt16(sender & 0xff)))
    }

    @Test("a legacy scan gets legacy reports") func legacyReports() {
        var talk = Conversation(.legacy)
        talk.scan(.legacy)
        talk.controller.hear([advertisement(1)])
        let expected = hex(
            """
            04 3e 0f           // LE Meta event, 15 bytes
            02 01              // advertising report, one of them
            03                 // ADV_NONCONN_IND
            01 6655443322c1   // random address C1:22:33:44:55:66
            03 02 01 06        // three bytes of data
            bb                 // -69 dBm
            """)
        #expect(talk.controller.takeOutput() == expected)
    }

    @Test("an extended scan gets extended reports of legacy PDUs")
    func extendedReports() {
        var talk = Conversation(.extended)
        talk.scan(.extended)
        talk.controller.hear([advertisement(1)])
        let expected = hex(
            """
            04 3e 1d           // LE Meta event, 29 bytes
            0d 01              // extended advertising report, one of them
            10 00              // legacy PDU, nothing else: ADV_NONCONN_IND
            01 6655443322c1   // random address
            01 00 ff 7f        // LE 1M, no secondary channel, no SID, power unknown
            bb                 // -69 dBm, before the data
            00 00              // no periodic advertising
            00 000000000000    // not directed
            03 02 01 06        // three bytes of data
            """)
        #expect(talk.controller.takeOutput() == expected)
    }

    @Test(
        "simultaneous reports share an event, up to its size",
        arguments: [CommandFamily.legacy, .extended]) func sharedEvents(
            _ family: CommandFamily
        ) throws
    {
        var talk = Conversation(family)
        talk.scan(family)
        let data = [UInt8](repeating: 0, count: 31)
        talk.controller.hear((0..<30).map { advertisement($0, sender: UInt64($0), data: data) })
        let output = talk.controller.takeOutput()
        // An event holds 6 reports of 41 bytes, or 4 of 55 bytes.
        #expect(output[4] == (family == .legacy ? 6 : 4))
        let all = try reports(in: output)
        #expect(all.map(\.report.sender.rawValue) == (0..<30).map { UInt64($0) | 1 << 48 })
        #expect(talk.controller.delivered.values.reduce(0, +) == 30)
    }

    @Test("reports some milliseconds apart do not share an event")
    func separateEvents() throws {
        var talk = Conversation(.legacy)
        talk.scan(.legacy)
        talk.controller.hear([advertisement(0), advertisement(5000)])
        let output = talk.controller.takeOutput()
        #expect(output[4] == 1)
        #expect(try reports(in: output).count == 2)
    }

    @Test("without a scan, before and after it, there are no reports")
    func withoutScan() {
        var talk = Conversation(.legacy)
        talk.controller.hear([advertisement(1)])
        #expect(talk.controller.takeOutput().isEmpty)
        talk.scan(.legacy)
        talk.status(.scanEnable(false, .legacy))
        talk.controller.hear([advertisement(2)])
        #expect(talk.controller.takeOutput().isEmpty)
        #expect(talk.controller.delivered.isEmpty)
    }

    @Test(
        "a masked event is not sent",
        arguments: [
            // The masks after a reset: no LE Meta event.
            (nil, nil, 0),
            ("ffffffffffffff3f", nil, 1),
            // LE Meta, but not the advertising report (bit 1).
            ("ffffffffffffff3f", "fd1f000000000000", 0),
            ("ffffffffffffff1f", "ff1f000000000000", 0),
        ] as [(String?, String?, Int)]) func eventMasks(
            mask: String?, leMask: String?, count: Int
        ) throws
    {
        var talk = Conversation(.legacy)
        talk.status(.reset)
        if let mask { #expect(talk.status(0x0c01, mask) == 0) }
        if let leMask { #expect(talk.status(0x2001, leMask) == 0) }
        talk.status(.scanEnable(true, .legacy))
        talk.controller.hear([advertisement(1)])
        #expect(try reports(in: talk.controller.takeOutput()).count == count)
    }

    @Test("extended reports need their bit in the event mask") func extendedReportMask()
        throws
    {
        var talk = Conversation(.extended)
        talk.status(.setEventMask)
        talk.status(.scanEnable(true, .extended))
        talk.controller.hear([advertisement(1)])
        #expect(talk.controller.takeOutput().isEmpty, "bit 12 is not set after a reset")
        talk.status(.leSetEventMask)
        talk.controller.hear([advertisement(2)])
        #expect(try reports(in: talk.controller.takeOutput()).count == 1)
    }

    @Test("the controller receives only in the scan window of each interval")
    func scanWindow() throws {
        var talk = Conversation(.legacy)
        // 30 ms of every 100 ms.
        talk.scan(.legacy, ScanTiming(interval: 0xa0, window: 0x30))
        talk.controller.hear((0..<1000).map { advertisement($0 * 1000) })
        let all = try reports(in: talk.controller.takeOutput())
        #expect(all.count == 300)
    }

    @Test(
        "the duplicate filter shows each sender once until the next start",
        arguments: [CommandFamily.legacy, .extended]) func duplicateFilter(
            _ family: CommandFamily
        )
        throws
    {
        var talk = Conversation(family)
        talk.scan(family)
        talk.status(.scanEnable(false, family))
        let filtered: (UInt16, String) =
            family == .legacy ? (0x200c, "01 01") : (0x2042, "01 01 0000 0000")
        for _ in 0..<2 {
            talk.status(filtered.0, filtered.1)
            talk.controller.hear((0..<100).map { advertisement($0, sender: UInt64($0 % 3)) })
            #expect(try reports(in: talk.controller.takeOutput()).count == 3)
            talk.status(.scanEnable(false, family))
        }
    }

    @Test("with the accept list, only its addresses are reported") func acceptList()
        throws
    {
        var talk = Conversation(.legacy)
        talk.status(.setEventMask)
        #expect(talk.status(0x2011, "01 070000000000") == 0)
        #expect(talk.status(0x200b, "00 a000 a000 00 01") == 0)
        talk.status(.scanEnable(true, .legacy))
        talk.controller.hear((0..<10).map { advertisement($0, sender: UInt64($0)) })
        #expect(
            try reports(in: talk.controller.takeOutput()).map(\.report.sender.rawValue) == [
                7 | 1 << 48
            ])
        #expect(talk.status(0x2010, "") == 0x0c, "the list is in use")
    }

    @Test("an extended scan with a duration ends with an event")
    func scanDuration() throws {
        var talk = Conversation(.extended)
        for command in [.setEventMask, .leSetEventMask] as [HCICommand] { talk.status(command) }
        // LE Set Event Mask with bit 16, the scan time-out.
        #expect(talk.status(0x2001, "ff1f010000000000") == 0)
        // One second.
        #expect(talk.status(0x2042, "01 00 6400 0000") == 0)
        talk.controller.hear([advertisement(999_999), advertisement(1_000_000)])
        #expect(try reports(in: talk.controller.takeOutput()).count == 1)
        talk.controller.advance(to: .seconds(1))
        #expect(talk.controller.takeOutput() == hex("04 3e 01 11"))
    }
}

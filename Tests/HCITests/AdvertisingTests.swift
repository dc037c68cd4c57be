import TestVectors
import Testing

@testable import HCI

@Suite struct AdvertisingTests {
    @Test(
        "an interval is rounded to the nearest multiple of 0.625 ms",
        arguments: [
            (20, 0x20), (21, 34), (22, 35), (23, 37), (100, 0xa0), (101, 162), (152, 243),
            (211, 338), (1000, 1600), (10_239, 16_382), (10_240, 0x4000),
        ])
    func units(milliseconds: Int, units: UInt16) throws {
        let interval = try #require(AdvertisingInterval(milliseconds: milliseconds))
        #expect(interval.units == units)
        #expect(abs(interval.milliseconds - Double(milliseconds)) <= 0.625 / 2)
    }

    @Test(
        "an interval outside the controllers' range is rejected",
        arguments: [.min, -1, 0, 19, 10_241, 65_536, .max])
    func outside(milliseconds: Int) {
        #expect(AdvertisingInterval(milliseconds: milliseconds) == nil)
    }

    @Test("the default interval is 100 ms")
    func usual() { #expect(AdvertisingInterval.usual == AdvertisingInterval(milliseconds: 100)) }

    @Test(
        "the selected power follows the status",
        arguments: [
            ("00 08", 8), ("00 ec", -20), ("00 00", 0), ("00 81", -127), ("00 04 ff", 4),
            ("00 7f", nil), ("12 08", nil), ("00", nil), ("", nil),
        ] as [(String, Int8?)])
    func power(answer: String, dBm: Int8?) {
        #expect(hex(answer).withBytes { HCICommand.selectedTxPower(in: $0) } == dBm)
    }

    @Test("the commands that remove advertising sets have names")
    func names() {
        #expect("\(Opcode.leRemoveAdvertisingSet)" == "LE Remove Advertising Set (0x203c)")
        #expect("\(Opcode.leClearAdvertisingSets)" == "LE Clear Advertising Sets (0x203d)")
    }
}

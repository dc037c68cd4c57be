import Beacons
import Primitives
import Testing

@testable import Subcommands

@Suite("the content of AD structures")
struct AdvertisedStructureTests {
    @Test(
        "decodes known formats",
        arguments: [
            (
                "02 01 1a",
                "Flags 0x1a (LE General Discoverable, LE and BR/EDR Controller, LE and BR/EDR Host)"
            ),
            ("02 0a f4", "TX Power Level -12 dBm"),
            ("05 03 aafe 6ffd", "Complete List of 16-bit Services 0xfeaa 0xfd6f"),
            ("05 09 41424344", "Complete Local Name 4 bytes, not shown"),
            (
                "1b ff 1801 beac e2c56db5dffb48d2b060d0f5a71096e0 002a 0007 c5 00",
                "AltBeacon e2c56db5dffb48d2b060d0f5a71096e0002a0007 company 0x0118 (Radius Networks) reference power -59 dBm"
            ),
            (
                "15 16 aafe 00 ec 00112233445566778899 aabbccddeeff",
                "Eddystone-UID namespace 00112233445566778899 instance aabbccddeeff power -20 dBm at 0 m"
            ),
            (
                "0e 16 aafe 10 ec 03 6578616d706c65 00",
                "Eddystone-URL https://example.com/, power -20 dBm at 0 m"
            ),
            (
                "11 16 aafe 20 00 0bb8 1580 00000064 00000e10",
                "Eddystone-TLM 3000 mV, 21.5 °C, 100 advertisements in 6 min 0 s"
            ),
            (
                "11 16 aafe 20 00 0000 8000 00000001 00000001",
                "Eddystone-TLM no battery voltage, no temperature, 1 advertisement in 0.1 s"
            ),
            ("11 16 aafe 20 01 000102030405060708090a0b", "Eddystone-eTLM"),
            (
                "0d 16 aafe 30 ec 0011223344556677",
                "Eddystone-EID 0011223344556677 power -20 dBm at 0 m"
            ),
            (
                "07 ff 4c00 10 02 0b00",
                "Manufacturer Specific Data 0x004c (Apple), type 0x10, 4 bytes"
            ),
            ("03 ff 3412", "Manufacturer Specific Data 0x1234, 0 bytes"),
            ("04 16 1a18 00", "Service Data service 0x181a, 1 byte"),
            ("02 f0 00", "AD type 0xf0 1 byte"),
        ])
    func phrases(hex: String, phrase: String) throws {
        // A length that the table got wrong is put right: the data count.
        var bytes = try Hexadecimal.bytes(of: hex)
        bytes[0] = UInt8(bytes.count - 1)
        let walk = bytes.withBytes { AdvertisedStructure.walk($0) }
        #expect(walk.structures.map(\.phrase) == [phrase])
        #expect(walk.malformed == nil)
    }

    @Test(
        "the type and the two highest bits give the kind of an address",
        arguments: [
            (0x00, 0xffff_ffff_ffff, .public), (0x01, 0xc000_0000_0001, .randomStatic),
            (0x01, 0x4000_0000_0001, .resolvable), (0x01, 0x0000_0000_0001, .nonResolvable),
            (0x01, 0x8000_0000_0001, .reserved), (0x02, 1, .public), (0x00, 0, .none),
            (0x02, 0, .none), (0xff, 0, .anonymous),
            (0x07, 0, .unknown),
        ] as [(UInt8, UInt64, AddressKind)])
    func addresses(type: UInt8, address: UInt64, kind: AddressKind) {
        #expect(AddressKind(DeviceAddress(address: address, type: type)) == kind)
    }

    @Test(
        "names PDUs",
        arguments: [
            (0x00, false, "ADV_IND"), (0x03, false, "ADV_NONCONN_IND"),
            (0x09, false, "event type 0x0009"), (0x13, true, "ADV_IND"), (0x1b, true, "SCAN_RSP"),
            (0x00, true, "extended"), (0x01, true, "extended connectable"),
            (0x42, true, "extended scannable truncated"),
        ] as [(UInt16, Bool, String)])
    func pdus(eventType: UInt16, isExtended: Bool, name: String) {
        #expect(PDU(eventType: eventType, isExtended: isExtended).name == name)
    }
}

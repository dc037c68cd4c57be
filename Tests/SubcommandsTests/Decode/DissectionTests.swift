import Beacons
import Primitives
import Testing

@testable import Subcommands

@Suite("bytes, field by field")
struct DissectionTests {
    private static func dissect(_ text: String) throws -> Dissection {
        Dissection(try Hexadecimal.bytes(of: text))
    }

    @Test("shows an event completely except for the address")
    func event() throws {
        let dissection = try Self.dissect(Advertisements.event)
        #expect(dissection.fault == nil)
        #expect(
            dissection.lines == [
                "HCI event with its H4 type byte, 45 bytes",
                "BYTE  HEX                        FIELD             MEANING",
                "   0  04                         packet type       event",
                "   1  3e                         event             LE Meta",
                "   2  2a                         length            42 bytes",
                "   3  02                         subevent          LE Advertising Report",
                "   4  01                         reports           1",
                "   5  03                         PDU               ADV_NONCONN_IND",
                "   6  01                         address type      random static",
                "   7                             address           not shown",
                "  13  1e                         data length       30 bytes",
                "  14  02 01 06                   Flags             0x06 (LE General Discoverable, no BR/EDR)",
                "  17  1a ff                      iBeacon           25 bytes",
                "  19  4c 00                        company         0x004c (Apple)",
                "  21  02 15                        type            iBeacon",
                "  23  e2 c5 6d b5 df fb 48 d2 …    UUID            e2c56db5-dffb-48d2-b060-d0f5a71096e0",
                "  39  00 2a                        major           42",
                "  41  00 07                        minor           7",
                "  43  c5                           measured power  -59 dBm at 1 m",
                "  44  b9                         RSSI              -71 dBm",
            ])
    }

    @Test(
        "the kind of the bytes is recognised",
        arguments: [
            (Advertisements.event, .h4Event), (String(Advertisements.event.dropFirst(3)), .event),
            (Advertisements.beacon, .advertisingData),
            ("4c000215e2c56db5dffb48d2b060d0f5a71096e0002a0007c5", .manufacturerData),
            ("04 0e 04 01 0b 20 00", .h4Event), ("0e 04 01 0b 20 00", .event),
            ("01 03 0c 00", .h4Command), ("02 0a 04", .advertisingData),
            // Cut short, an event is one all the same.
            ("04 3e 2a 02 01 03 01", .h4Event), ("3e 2a 02 01 03 01", .event),
            ("ff", .advertisingData),
        ] as [(String, PacketKind)])
    func kinds(text: String, kind: PacketKind) throws {
        #expect(try Self.dissect(text).kind == kind)
    }

    @Test(
        "a fault has its offset",
        arguments: [
            (
                "02 01 06 1a ff 4c 00",
                "the AD structure at byte 3 claims 26 bytes, but 3 are left"
            ),
            (
                "04 3e 2a 02 01 03 01",
                "byte 2 promises 42 bytes, but the packet ends at byte 7, 38 too early"
            ),
            (
                "04 3e 04 02 01 03 01",
                "report 1 of 1, which begins at byte 5, is cut short by the event's end"
            ),
            ("04 0e 02 01 0b", "the event ends at byte 5, before its last field"),
            ("04 3e 01 02", "the event ends at byte 4, before its reports"),
            ("4c 00 02 15 00", "the data of an iBeacon has 25 bytes, but ends at byte 5"),
        ])
    func faults(text: String, fault: String) throws {
        #expect(try Self.dissect(text).fault == fault)
    }

    @Test("reads the results of commands, but not their parameters")
    func commandComplete() throws {
        // Read Local Version Information, and the address, which is hidden.
        let version = try Self.dissect("04 0e 0a 01 01 10 00 09 00 00 09 ff ff")
        #expect(
            version.lines.suffix(3) == [
                "   4  01 10  opcode       Read Local Version Information (0x1001)",
                "   6  00     status       Success (0x00)",
                "   7         answer       6 bytes",
            ])
        let address = try Self.dissect("04 0e 0a 01 09 10 00 66 55 44 33 22 c1")
        #expect(address.lines.last == "   7         address      public, not shown")
        let none = try Self.dissect("04 0e 0a 01 09 10 00 00 00 00 00 00 00")
        #expect(
            none.lines.last
                == "   7  00 00 00 00 00 00  address      none (00:00:00:00:00:00)")
    }

    @Test("hides addresses, names and unknown content")
    func privacy() throws {
        // A name, a target address, service data with an address, another maker's data.
        let data =
            "05 09 416e6e61" + "07 17 665544332 2c1" + "0a 16 1a18 665544332 2c1 00"
            + "09 ff 5900 665544332 2c1"
        let packets = [
            data, "043e 2f 0201 03 01 665544332 2c1 23" + data + "b9",
            "043e 3d 0d01 1300 01 665544332 2c1 01 00 ff 7f b9 0000 01 665544332 2c1 23" + data,
        ]
        for packet in packets {
            let dissection = try Self.dissect(packet)
            #expect(dissection.fault == nil)
            let text = (dissection.lines + [dissection.json.text]).joined().lowercased()
            for secret in ["66 55", "6655", "55 44", "anna", "41 6e", "416e"] {
                #expect(!text.contains(secret), "\(secret) in \(dissection.lines)")
            }
        }
    }

    @Test("every prefix and every flipped byte is read or refused")
    func damage() throws {
        for text in [
            Advertisements.event, Advertisements.beacon,
            "043e2b0d0113000166554433 22c10100ff7fb90000000000000000001110161a18665544332 2c10102284f0b6720",
        ] {
            let bytes = try Hexadecimal.bytes(of: text)
            for count in 0..<bytes.count {
                _ = Dissection(Array(bytes.prefix(count))).lines
            }
            for index in bytes.indices {
                for bit in 0..<8 {
                    var damaged = bytes
                    damaged[index] ^= 1 << UInt8(bit)
                    let dissection = Dissection(damaged)
                    #expect(!dissection.lines.isEmpty)
                    #expect(!dissection.json.text.isEmpty)
                }
            }
        }
    }
}

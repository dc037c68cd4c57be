import TestVectors
import Testing

@testable import HCI

@Suite struct EventTests {
    private static func read(_ bytes: [UInt8]) throws(Event.Malformed) -> Event {
        try bytes.withBytes { bytes throws(Event.Malformed) in try Event(bytes) }
    }

    @Test("Command Complete carries credits, opcode, and the answer")
    func commandComplete() throws {
        let bytes = hex(
            """
            0e              # Command Complete
            04              # length
            01              # one command more may be sent
            0b 20           # LE Set Scan Parameters
            00              # status
            """)
        #expect(
            try Self.read(bytes)
                == .commandComplete(opcode: .leSetScanParameters, credits: 1, answer: 5..<6))
    }

    @Test("Command Complete without a status byte has an empty answer")
    func missingStatus() throws {
        #expect(
            try Self.read(hex("0e 03 01 03 0c"))
                == .commandComplete(opcode: .reset, credits: 1, answer: 5..<5))
    }

    @Test("Command Status carries status, credits and opcode")
    func commandStatus() throws {
        #expect(
            try Self.read(hex("0f 04 0c 02 42 20"))
                == .commandStatus(
                    opcode: .leSetExtendedScanEnable, credits: 2, status: .commandDisallowed))
    }

    @Test("A hardware error carries the vendor's code")
    func hardwareError() throws {
        #expect(try Self.read(hex("10 01 2a")) == .hardwareError(code: 0x2a))
    }

    @Test(
        "Advertising reports are told from other events",
        arguments: [
            ("3e 02 02 00", Event.advertisingReports), ("3e 02 0d 00", .advertisingReports),
            ("3e 02 01 00", .other(code: 0x3e)), ("3e 00", .other(code: 0x3e)),
            ("3e 01 02", .other(code: 0x3e)), ("3e 01 02 00", .other(code: 0x3e)),
            ("05 04 00 40 00 13", .other(code: 0x05)), ("ff 00", .other(code: 0xff)),
        ])
    func others(text: String, event: Event) throws {
        #expect(try Self.read(hex(text)) == event)
    }

    @Test("What the length does not cover is not looked at")
    func trailing() throws {
        #expect(
            try Self.read(hex("0e 04 01 0b 20 00 ff ff"))
                == .commandComplete(opcode: .leSetScanParameters, credits: 1, answer: 5..<6))
    }

    @Test("A length beyond the packet's end is cut to it")
    func overlong() throws {
        #expect(
            try Self.read(hex("0e ff 01 0b 20 00"))
                == .commandComplete(opcode: .leSetScanParameters, credits: 1, answer: 5..<6))
    }

    @Test(
        "An event that ends before its fields do is malformed, at its end",
        arguments: [
            ("", 0), ("0e", 1), ("0e 03 01 0b", 4), ("0e 02 01 0b 20", 4), ("0f 04 00 01 0b", 5),
            ("0f 03 00 01 0b 20", 5), ("10 00", 2), ("10 00 01", 2),
        ])
    func malformed(text: String, offset: Int) {
        #expect(throws: Event.Malformed(offset: offset)) { try Self.read(hex(text)) }
    }
}

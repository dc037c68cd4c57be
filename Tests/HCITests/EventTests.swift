import TestVectors
import Testing

@testable import HCI

@Suite struct EventTests {
    private static func read(_ bytes: [UInt8]) throws(Event.Malformed) -> Event {
        try bytes.withBytes { bytes throws(Event.Malformed) in try Event(bytes) }
    }

    @Test("Command Complete has credits, opcode and answer")
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

    @Test("Command Status has status, credits and opcode")
    func commandStatus() throws {
        #expect(
            try Self.read(hex("0f 04 0c 02 42 20"))
                == .commandStatus(
                    opcode: .leSetExtendedScanEnable, credits: 2, status: .commandDisallowed))
    }

    @Test("a hardware error has the vendor's code")
    func hardwareError() throws {
        #expect(try Self.read(hex("10 01 2a")) == .hardwareError(code: 0x2a))
    }

    @Test(
        "an event with advertising reports has their number",
        arguments: [("3e 02 02 00", 0), ("3e 02 0d 00", 0), ("3e 02 02 03", 3)])
    func reports(text: String, count: UInt8) throws {
        guard case .advertisingReports(let reports) = try Self.read(hex(text)) else {
            Issue.record("not classified as advertising reports")
            return
        }
        #expect(reports.remaining == count)
    }

    @Test(
        "events without advertising reports are other events",
        arguments: [
            ("3e 02 01 00", Event.other(code: 0x3e)), ("3e 00", .other(code: 0x3e)),
            ("3e 01 02", .other(code: 0x3e)), ("3e 01 02 00", .other(code: 0x3e)),
            ("05 04 00 40 00 13", .other(code: 0x05)), ("ff 00", .other(code: 0xff)),
        ])
    func others(text: String, event: Event) throws {
        #expect(try Self.read(hex(text)) == event)
    }

    @Test("bytes beyond the length field are ignored")
    func trailing() throws {
        #expect(
            try Self.read(hex("0e 04 01 0b 20 00 ff ff"))
                == .commandComplete(opcode: .leSetScanParameters, credits: 1, answer: 5..<6))
    }

    @Test("a length beyond the end of the packet is limited to the packet")
    func overlong() throws {
        #expect(
            try Self.read(hex("0e ff 01 0b 20 00"))
                == .commandComplete(opcode: .leSetScanParameters, credits: 1, answer: 5..<6))
    }

    @Test(
        "a truncated event is malformed at its end",
        arguments: [
            ("", 0), ("0e", 1), ("0e 03 01 0b", 4), ("0e 02 01 0b 20", 4), ("0f 04 00 01 0b", 5),
            ("0f 03 00 01 0b 20", 5), ("10 00", 2), ("10 00 01", 2),
        ])
    func malformed(text: String, offset: Int) {
        #expect(throws: Event.Malformed(offset: offset)) { try Self.read(hex(text)) }
    }
}

import Beacons
import HCI
import Testing

@testable import VirtualRadio

@Suite struct AnswerTests {
    @Test("a reset is answered by one Command Complete") func reset() {
        var talk = Conversation(.legacy)
        let answer = talk.send(hex("01 03 0c 00"))
        let expected = hex(
            """
            04     // event
            0e 04  // Command Complete, four bytes
            01     // one command may follow
            03 0c  // Reset
            00     // Success
            """)
        #expect(answer == expected)
    }

    @Test(
        "read commands return the controller's values",
        arguments: [
            // Bluetooth 5.0, an unassigned manufacturer.
            (0x1001, "09 00 00 09 ff ff 00 00"),
            // The configured address, 02:00:00:00:00:01.
            (0x1009, "01 00 00 00 00 02"),
            // LE, no BR/EDR.
            (0x1003, "00 00 00 00 60 00 00 00"),
            // Only buffers for LE: four of 27 bytes.
            (0x1005, "00 00 00 00 00 00 00"),
            (0x2002, "1b 00 04"),
            // Scans, advertises, and does both in parallel (bits 8 and 12 among others).
            (0x201c, "37 77 00 00 00 00 00 00"),
            (0x200f, "10"),
        ]) func readCommands(opcode: Int, answer: String)
    {
        var talk = Conversation(.legacy)
        let command = HCICommand(Opcode(rawValue: UInt16(opcode)))
        let said = talk.send(command.packet)
        let parameters = [1] + command.opcode.rawValue.littleEndianBytes + [0] + hex(answer)
        #expect(said == [4, 0x0e, UInt8(parameters.count)] + parameters)
    }

    @Test(
        "the agent detects the command family",
        arguments: [(CommandFamily.legacy, false), (.extended, true)])
    func familyDetection(kind: CommandFamily, isExtended: Bool) {
        var talk = Conversation(kind)
        var capabilities = Capabilities()
        for command in [
            .readLocalVersion, .readLocalSupportedCommands, .leReadLocalSupportedFeatures,
            .leReadSupportedStates,
        ] as [HCICommand] {
            let answer = Array(talk.send(command.packet).dropFirst(6))
            answer.withBytes { capabilities.learn(from: $0, to: command.opcode) }
        }
        #expect(capabilities.canScanExtended == isExtended)
        #expect(capabilities.canAdvertiseExtended == isExtended)
        #expect(capabilities.family == kind)
        #expect(capabilities.canScanWhileAdvertising)
        #expect(capabilities.version == 9, "the version says nothing about the family")
    }

    @Test(
        "the supported commands are exactly the implemented ones",
        arguments: [CommandFamily.legacy, .extended]) func supportedCommands(
            kind: CommandFamily
        )
    {
        let claimed = KnownCommand.supportedCommands(of: kind)
        for command in KnownCommand.table.values {
            var talk = Conversation(kind)
            let zeros = [UInt8](repeating: 0, count: command.count.lowerBound)
            let opcode = Opcode(rawValue: command.opcode)
            let isClaimed = claimed[command.octet] & 1 << command.bit != 0
            let isUnknown = talk.status(HCICommand(opcode, zeros)) == 0x01
            #expect(isClaimed != isUnknown, "\(opcode)")
        }
        #expect(
            Set(KnownCommand.table.values.map { $0.octet * 8 + Int($0.bit) }).count
                == KnownCommand.table.count)
    }

    @Test(
        "unknown opcodes get Command Complete, and commands of the other family get Command Status"
    ) func unknownOpcodes() {
        var talk = Conversation(.legacy)
        #expect(talk.send(hex("01 23 0c 00")) == hex("04 0e 04 01 23 0c 01"))
        #expect(
            talk.send(HCICommand.scanEnable(true, .extended).packet) == hex("04 0f 04 01 01 42 20"))
        #expect(talk.controller.unknownCommands.count == 2)
    }

    @Test("a command may arrive in pieces, and several together") func fragmentedCommands() {
        var talk = Conversation(.legacy)
        for byte in hex("01 03 0c") { #expect(talk.send([byte]).isEmpty) }
        #expect(talk.send([0]) == hex("04 0e 04 01 03 0c 00"))
        #expect(
            talk.send(hex("01 03 0c 00 01 03 0c 00"))
                == hex("04 0e 04 01 03 0c 00 04 0e 04 01 03 0c 00"))
    }

    @Test("after an invalid packet type it reports a hardware error and accepts only a reset")
    func invalidPacketType() {
        var talk = Conversation(.legacy)
        #expect(talk.send(hex("77")) == hex("04 10 01 01"))
        #expect(talk.send(hex("01 09 10 00")).isEmpty)
        #expect(talk.send(hex("99 01 03 0c 00")) == hex("04 0e 04 01 03 0c 00"))
        #expect(talk.status(.readDeviceAddress) == 0)
    }

    @Test("data packets are ignored") func dataPackets() {
        var talk = Conversation(.legacy)
        #expect(talk.send(hex("02 40 00 02 00 aa bb")).isEmpty)
        #expect(talk.status(.readDeviceAddress) == 0)
    }
}

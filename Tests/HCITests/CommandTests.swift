import Beacons
import TestVectors
import Testing

@testable import HCI

@Suite struct CommandTests {
    struct Vector: CustomTestStringConvertible, Sendable {
        let command: HCICommand
        let packet: String

        init(_ command: HCICommand, _ packet: String) {
            self.command = command
            self.packet = packet
        }

        var testDescription: String { "\(command.opcode)" }
    }

    @Test(
        "setup and query commands have these bytes",
        arguments: [
            Vector(.reset, "01 03 0c 00"),
            Vector(.readLocalVersion, "01 01 10 00"),
            Vector(.readLocalSupportedCommands, "01 02 10 00"),
            Vector(.readDeviceAddress, "01 09 10 00"),
            Vector(.leReadLocalSupportedFeatures, "01 03 20 00"),
            Vector(.leReadSupportedStates, "01 1c 20 00"),
            // C1:22:33:44:55:66: the last byte comes first.
            Vector(
                .randomAddress(DeviceAddress(address: 0xc122_3344_5566, type: 1)),
                "01 05 20 06 66 55 44 33 22 c1"),
            Vector(
                .advertisingSetRandomAddress(DeviceAddress(address: 0xc122_3344_5566, type: 1)),
                "01 35 20 07 ef 66 55 44 33 22 c1"),
            Vector(
                .scanParameters(.continuous, .legacy, from: .random),
                "01 0b 20 07 00 a0 00 a0 00 01 00"),
            Vector(
                .scanParameters(.continuous, .extended, from: .random),
                "01 41 20 08 01 00 01 00 a0 00 a0 00"),
            Vector(.setEventMask, "01 01 0c 08 ff ff ff ff ff ff ff 3f"),
            Vector(.leSetEventMask, "01 01 20 08 ff 1f 00 00 00 00 00 00"),
            Vector(.leSetFirstEventMask, "01 01 20 08 1f 00 00 00 00 00 00 00"),
            Vector(.leSetSharedEventMask(version: 6), "01 01 20 08 1f 00 00 00 00 00 00 00"),
            Vector(.leSetSharedEventMask(version: 7), "01 01 20 08 3f 00 00 00 00 00 00 00"),
            Vector(.leSetSharedEventMask(version: 8), "01 01 20 08 ff 07 00 00 00 00 00 00"),
            Vector(.leSetSharedEventMask(version: 9), "01 01 20 08 ff ff 0f 00 00 00 00 00"),
            Vector(.leSetSharedEventMask(version: 10), "01 01 20 08 ff ff ff 00 00 00 00 00"),
            Vector(.leSetSharedEventMask(version: 11), "01 01 20 08 ff ff ff ff 03 00 00 00"),
            Vector(.leSetSharedEventMask(version: 12), "01 01 20 08 ff ff ff ff 07 00 00 00"),
            Vector(.leSetSharedEventMask(version: 13), "01 01 20 08 ff ff ff ff 07 00 00 00"),
        ])
    func setUp(vector: Vector) {
        #expect(digits(vector.command.packet) == digits(hex(vector.packet)))
    }

    @Test(
        "legacy commands have these bytes",
        arguments: [
            Vector(
                .scanParameters(.continuous, .legacy),
                """
                01 0b 20 07
                00              # passive
                a0 00           # interval: 100 ms
                a0 00           # window: 100 ms
                00              # own address: public
                00              # policy: every advertiser
                """),
            Vector(.scanEnable(true, .legacy), "01 0c 20 02 01 00  # on, no duplicate filter"),
            Vector(.scanEnable(false, .legacy), "01 0c 20 02 00 00"),
            Vector(
                .advertisingParameters(interval: 0xa0, .legacy),
                """
                01 06 20 0f
                a0 00           # least interval: 100 ms
                a0 00           # greatest interval
                03              # non-connectable
                00              # own address: public
                00              # peer address type
                00 00 00 00 00 00
                07              # all channels
                00              # policy
                """),
            Vector(.advertisingEnable(true, .legacy), "01 0a 20 01 01"),
            Vector(.advertisingEnable(false, .legacy), "01 0a 20 01 00"),
            Vector(
                .advertisingData([0x02, 0x01, 0x1a], .legacy),
                """
                01 08 20 20
                03              # significant bytes
                02 01 1a
                00 00 00 00 00 00 00 00 00 00 00 00 00 00
                00 00 00 00 00 00 00 00 00 00 00 00 00 00
                """),
        ])
    func legacy(vector: Vector) {
        #expect(digits(vector.command.packet) == digits(hex(vector.packet)))
    }

    @Test(
        "extended commands have these bytes",
        arguments: [
            Vector(
                .scanParameters(.continuous, .extended),
                """
                01 41 20 08
                00              # own address: public
                00              # policy: every advertiser
                01              # on LE 1M
                00              # passive
                a0 00           # interval
                a0 00           # window
                """),
            Vector(
                .scanEnable(true, .extended),
                """
                01 42 20 06
                01              # on
                00              # no duplicate filter
                00 00           # duration: without end
                00 00           # period
                """),
            Vector(.scanEnable(false, .extended), "01 42 20 06 00 00 00 00 00 00"),
            Vector(
                .advertisingParameters(interval: 0xa0, .extended),
                """
                01 36 20 19
                ef              # handle
                10 00           # legacy PDU, neither connectable nor scannable
                a0 00 00        # least interval
                a0 00 00        # greatest interval
                07              # all channels
                00              # own address: public
                00              # peer address type
                00 00 00 00 00 00
                00              # policy
                7f              # transmit power: no preference
                01              # primary LE 1M
                00              # skip
                01              # secondary LE 1M
                00              # set identifier
                00              # no scan request notifications
                """),
            Vector(
                .advertisingParameters(interval: 0x4000, txPower: -20, .extended),
                """
                01 36 20 19 ef 10 00
                00 40 00        # 10.24 s
                00 40 00
                07 00 00 00 00 00 00 00 00 00
                ec              # -20 dBm
                01 00 01 00 00
                """),
            Vector(
                .advertisingEnable(true, .extended),
                """
                01 39 20 06
                01              # on
                01              # one set
                ef              # its handle
                00 00           # duration
                00              # events
                """),
            Vector(.advertisingEnable(false, .extended), "01 39 20 06 00 01 ef 00 00 00"),
        ])
    func extended(vector: Vector) {
        #expect(digits(vector.command.packet) == digits(hex(vector.packet)))
    }

    @Test("both families advertise all 30 bytes of an iBeacon")
    func advertisesBeacons() {
        let data = IBeacon(identity: Advertisements.identity(7), measuredPower: -59)
            .advertisingData
        #expect(
            HCICommand.advertisingData(data, .legacy).packet == hex("01 08 20 20 1e") + data + [0])
        #expect(
            HCICommand.advertisingData(data, .extended).packet
                == hex("01 37 20 22 ef 03 01 1e") + data)
    }

    @Test(
        "a command for another advertising set names its handle",
        arguments: [
            (Opcode.leSetExtendedAdvertisingEnable, [1, 1, 1, 0, 0, 0], true),
            (.leSetExtendedAdvertisingEnable, [0, 2, 1, 0, 0, 0, 0xef, 0, 0, 0], false),
            (.leSetExtendedAdvertisingEnable, [0, 0], false),
            (.leSetExtendedAdvertisingParameters, [2], true),
            (.leSetExtendedAdvertisingParameters, [0xef], false),
            (.leSetExtendedAdvertisingData, [1, 3, 1, 0], true),
            (.leRemoveAdvertisingSet, [1], true), (.leRemoveAdvertisingSet, [], false),
            (.leClearAdvertisingSets, [], false), (.leSetAdvertisingEnable, [1], false),
        ] as [(Opcode, [UInt8], Bool)])
    func sets(opcode: Opcode, parameters: [UInt8], isOther: Bool) {
        #expect(HCICommand(opcode, parameters).isForOtherSet == isOther)
    }

    @Test("advertising data is limited to 31 bytes", arguments: [CommandFamily.legacy, .extended])
    func bounds(family: CommandFamily) {
        let most = Array(UInt8(0)..<31)
        #expect(
            HCICommand.advertisingData(most + [0xff], family) == .advertisingData(most, family))
        #expect(HCICommand.advertisingData([], family).packet.count == (family == .legacy ? 36 : 8))
    }

    @Test(
        "a command's description has the specification's name and the number",
        arguments: [
            (Opcode.reset, "Reset (0x0c03)"),
            (.leSetScanEnable, "LE Set Scan Enable (0x200c)"),
            (.leSetExtendedScanParameters, "LE Set Extended Scan Parameters (0x2041)"),
            (.leSetAdvertisingSetRandomAddress, "LE Set Advertising Set Random Address (0x2035)"),
            (Opcode(rawValue: 0xfc01), "command 0xfc01"), (.none, "command 0x0000"),
        ])
    func describesOpcodes(opcode: Opcode, text: String) {
        #expect("\(opcode)" == text)
    }

    @Test(
        "a status' description has the specification's name and the number",
        arguments: [
            (HCIStatus.success, "Success (0x00)"),
            (.commandDisallowed, "Command Disallowed (0x0c)"),
            (.invalidParameters, "Invalid HCI Command Parameters (0x12)"),
            (HCIStatus(rawValue: 0xff), "error (0xff)"),
        ])
    func describesStatuses(status: HCIStatus, text: String) {
        #expect("\(status)" == text)
    }

    // Intervals of 100 ms, in units of 0.625 ms (7.8.10).
    @Test(
        "the share of listening sets the window of the scan",
        arguments: [
            (100, "01 0b 20 07 00 a0 00 a0 00 00 00"), (80, "01 0b 20 07 00 a0 00 80 00 00 00"),
            (50, "01 0b 20 07 00 a0 00 50 00 00 00"), (5, "01 0b 20 07 00 a0 00 08 00 00 00"),
            // The shortest window.
            (1, "01 0b 20 07 00 a0 00 04 00 00 00"),
        ])
    func share(percent: Int, packet: String) {
        let timing = ScanTiming(percent: percent)
        #expect(HCICommand.scanParameters(timing, .legacy).packet == hex(packet))
    }
}

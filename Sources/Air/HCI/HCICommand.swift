import Beacons
import Primitives

/// The address that a command of the gateway names as its own (7.8.5, 7.8.10).
package enum OwnAddressType: UInt8, Sendable {
    case `public` = 0x00
    case random = 0x01
}

/// A command to the controller (Core 5.4 Vol 4 Part E 5.4.1).
package struct HCICommand: Equatable, Sendable {
    package let opcode: Opcode
    /// At most 255 bytes.
    package let parameters: [UInt8]

    package init(_ opcode: Opcode, _ parameters: [UInt8] = []) {
        self.opcode = opcode
        self.parameters = parameters
    }

    /// Reads a command packet without its type byte; `nil` if it ends before its parameters do.
    package init?(_ packet: Bytes) {
        guard packet.count >= 3, packet.count >= 3 + Int(packet[2]) else { return nil }
        opcode = Opcode(rawValue: packet.littleEndian16(at: 0))
        parameters = packet.extracting(3..<3 + Int(packet[2])).copied()
    }

    /// The H4 packet: type, opcode, length, parameters.
    package var packet: [UInt8] {
        [H4.PacketType.command.rawValue] + opcode.rawValue.littleEndianBytes
            + [UInt8(truncatingIfNeeded: parameters.count)] + parameters
    }
}

extension HCICommand {
    package static let reset = HCICommand(.reset)
    package static let readLocalVersion = HCICommand(.readLocalVersion)
    package static let readLocalSupportedCommands = HCICommand(.readLocalSupportedCommands)
    package static let readDeviceAddress = HCICommand(.readDeviceAddress)
    package static let leReadLocalSupportedFeatures = HCICommand(.leReadLocalSupportedFeatures)
    package static let leReadSupportedStates = HCICommand(.leReadSupportedStates)

    /// The random address of scans and legacy advertising (7.8.4). Controllers refuse it while these are on.
    package static func randomAddress(_ address: DeviceAddress) -> HCICommand {
        HCICommand(.leSetRandomAddress, address.littleEndianBytes)
    }

    /// The default events and the LE Meta event (bit 61) (7.3.1).
    package static let setEventMask = HCICommand(
        .setEventMask, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f])

    /// LE events up to bit 12: advertising reports are bit 1, extended ones bit 12 (7.8.1).
    package static let leSetEventMask = HCICommand(
        .leSetEventMask, [0xff, 0x1f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00])

    /// The LE events of Core 4.0, among them advertising reports. Controllers may refuse bits that they do not know.
    package static let leSetFirstEventMask = HCICommand(
        .leSetEventMask, [0x1f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00])

    /// All LE events that a controller of this HCI version knows, up to Core 5.3. Programs that share the controller keep
    /// their events. Bits of later versions would replace events that those programs know.
    package static func leSetSharedEventMask(version: UInt8) -> HCICommand {
        let count =
            switch version {
            case ...6: 5
            case 7: 6
            case 8: 11
            case 9: 20
            case 10: 24
            case 11: 34
            default: 35
            }
        return HCICommand(.leSetEventMask, (UInt64(1) << UInt64(count) - 1).littleEndianBytes)
    }
}

extension FixedWidthInteger {
    /// The number in HCI's byte order.
    package var littleEndianBytes: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> Self($0 * 8)) }
    }
}

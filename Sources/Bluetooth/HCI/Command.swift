/// A command to the controller (Core 5.4 Vol 4 Part E 5.4.1).
package struct Command: Equatable, Sendable {
    package let opcode: Opcode
    /// At most 255 bytes.
    package let parameters: [UInt8]

    package init(_ opcode: Opcode, _ parameters: [UInt8] = []) {
        self.opcode = opcode
        self.parameters = parameters
    }

    /// The H4 packet: type, opcode, length, parameters.
    package var packet: [UInt8] {
        [H4.PacketType.command.rawValue] + opcode.rawValue.littleEndianBytes
            + [UInt8(truncatingIfNeeded: parameters.count)] + parameters
    }
}

extension Command {
    package static let reset = Command(.reset)
    package static let readLocalVersion = Command(.readLocalVersion)
    package static let readLocalSupportedCommands = Command(.readLocalSupportedCommands)
    package static let readDeviceAddress = Command(.readDeviceAddress)
    package static let leReadLocalSupportedFeatures = Command(.leReadLocalSupportedFeatures)
    package static let leReadSupportedStates = Command(.leReadSupportedStates)

    /// The default events and the LE Meta event (bit 61) (7.3.1).
    package static let setEventMask = Command(
        .setEventMask, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f])

    /// LE events up to bit 12: advertising reports are bit 1, extended ones bit 12 (7.8.1).
    package static let leSetEventMask = Command(
        .leSetEventMask, [0xff, 0x1f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00])

    /// LE events up to bit 34, all of Core 5.3. Programs that share the controller keep their events. Bits of later
    /// versions would replace events that those programs know.
    package static let leSetSharedEventMask = Command(
        .leSetEventMask, [0xff, 0xff, 0xff, 0xff, 0x07, 0x00, 0x00, 0x00])
}

extension FixedWidthInteger {
    /// The number in HCI's byte order.
    package var littleEndianBytes: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> Self($0 * 8)) }
    }
}

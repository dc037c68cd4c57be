import Beacons
import Primitives

/// Which of the two sets of LE commands a controller is driven with; the first used after a reset excludes the other
/// (Core 5.4 Vol 4 Part E 3.1.1).
package enum CommandFamily: String, Sendable {
    case legacy
    case extended

    package var other: CommandFamily { self == .legacy ? .extended : .legacy }
}

/// What a controller says it can do.
package struct Capabilities: Equatable, Sendable {
    /// Bit per command (6.27), 64 bytes.
    package var supportedCommands = [UInt8](repeating: 0, count: 64)
    /// Bit per LE feature (Vol 6 Part B 4.6).
    package var leFeatures: UInt64 = 0
    /// Bit per combination of roles (7.8.27); `nil` while the controller has not said.
    package var leStates: UInt64?
    /// The HCI version number; it says nothing about the command family.
    package var version: UInt8 = 0
    /// The public address that it sends from (7.4.6); `nil` while it has not said.
    package var ownAddress: DeviceAddress?

    package init() {}

    /// The kernel's test: LE Set Extended Scan Parameters and Enable are supported commands.
    package var canScanExtended: Bool { supportedCommands[37] & 0x60 == 0x60 }

    /// The kernel's test: the LE Extended Advertising feature.
    package var canAdvertiseExtended: Bool { leFeatures & 1 << 12 != 0 }

    /// Scan and advertise must agree, so the extended family is used only where it serves for both.
    package var family: CommandFamily {
        canScanExtended && canAdvertiseExtended ? .extended : .legacy
    }

    /// Non-connectable advertising and passive scanning at the same time (state 8).
    ///
    /// A controller that has not answered, or claims no state at all, is given the benefit of the doubt: it will refuse
    /// what it can't do.
    package var canScanWhileAdvertising: Bool {
        guard let leStates, leStates != 0 else { return true }
        return leStates & 1 << 8 != 0
    }

    /// Takes in the return parameters of one of the commands that ask; a short answer leaves things as they were.
    package mutating func learn(from answer: Bytes, to opcode: Opcode) {
        switch opcode {
        case .readLocalVersion where answer.count >= 2:
            version = answer[1]
        case .readLocalSupportedCommands where answer.count >= 65:
            for index in 0..<64 { supportedCommands[index] = answer[index + 1] }
        case .leReadLocalSupportedFeatures where answer.count >= 9:
            leFeatures = answer.littleEndian64(at: 1)
        case .leReadSupportedStates where answer.count >= 9:
            leStates = answer.littleEndian64(at: 1)
        case .readDeviceAddress where answer.count >= 7:
            let upper = UInt64(answer.littleEndian16(at: 5)) << 32
            ownAddress = DeviceAddress(
                address: UInt64(answer.littleEndian32(at: 1)) | upper, type: 0)
        default: break
        }
    }
}

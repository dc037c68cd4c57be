import Beacons
import Primitives

/// The two sets of LE commands. The first command after a reset excludes the other set (Core 5.4 Vol 4 Part E 3.1.1).
package enum CommandFamily: String, Sendable {
    case legacy
    case extended

    package var other: CommandFamily { self == .legacy ? .extended : .legacy }
}

/// The capabilities that a controller reports.
package struct Capabilities: Equatable, Sendable {
    /// Bit per command (6.27), 64 bytes.
    package var supportedCommands = [UInt8](repeating: 0, count: 64)
    /// Bit per LE feature (Vol 6 Part B 4.6).
    package var leFeatures: UInt64 = 0
    /// Bit per combination of roles (7.8.27); `nil` if unknown.
    package var leStates: UInt64?
    /// Whether the controller sends events that Core 4.0 does not have, such as extended reports.
    package var hasLaterEvents = true
    /// The HCI version number. It does not determine the command family.
    package var version: UInt8 = 0
    /// The address of the gateway's commands: the controller's public address (7.4.6), or a random one in its place; `nil`
    /// if unknown.
    package private(set) var ownAddress: DeviceAddress?
    /// The random address that stands for a public one; `nil` if nothing does.
    private var substitute: DeviceAddress?
    /// Whether the controller has no public address, and refuses a random one: it would advertise with zeros.
    package private(set) var lacksAddress = false

    /// - Parameter substitute: the random address of the gateway's commands if the controller has no public one.
    package init(substitute: DeviceAddress? = nil) { self.substitute = substitute }

    /// The kernel's test: LE Set Extended Scan Parameters and Enable are supported commands.
    package var canScanExtended: Bool { supportedCommands[37] & 0x60 == 0x60 }

    /// The kernel's test: the LE Extended Advertising feature.
    package var canAdvertiseExtended: Bool { leFeatures & 1 << 12 != 0 }

    /// Scan and advertising must use the same family: the extended one needs support for both.
    package var family: CommandFamily {
        canScanExtended && canAdvertiseExtended && hasLaterEvents ? .extended : .legacy
    }

    /// Whether the controller knows the extended advertising report's bit of the LE event mask: since Core 5.0.
    package var knowsExtendedReports: Bool { version >= 9 }

    /// Whether the controller supports non-connectable advertising during a passive scan (state 8).
    ///
    /// Without any reported state the answer is `true`: the controller will refuse unsupported commands.
    package var canScanWhileAdvertising: Bool {
        guard let leStates, leStates != 0 else { return true }
        return leStates & 1 << 8 != 0
    }

    /// The random address of the gateway's commands; `nil` for the public one.
    package var randomAddress: DeviceAddress? { ownAddress.flatMap { $0.isRandom ? $0 : nil } }

    package var ownAddressType: OwnAddressType { randomAddress == nil ? .public : .random }

    /// Uses the random address from now on: the controller has refused the public one.
    ///
    /// - Returns: whether this changes the address.
    package mutating func refusePublicAddress() -> Bool {
        guard let substitute, ownAddress != substitute else { return false }
        ownAddress = substitute
        return true
    }

    /// The controller has refused the random address: it scans with its own one, and does not advertise.
    ///
    /// - Returns: whether this changes the address.
    package mutating func refuseRandomAddress() -> Bool {
        defer { (ownAddress, substitute, lacksAddress) = (nil, nil, true) }
        return ownAddress != nil
    }

    /// Reads the return parameters of a query command, and ignores a short answer.
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
            let address = DeviceAddress(
                address: UInt64(answer.littleEndian32(at: 1)) | upper, type: 0)
            ownAddress = address.isZero ? substitute : address
        default: break
        }
    }
}

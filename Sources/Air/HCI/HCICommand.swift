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

/// The scan interval and window, in units of 0.625 ms. A window as long as the interval scans without a pause.
package struct ScanTiming: Equatable, Sendable {
    package let interval: UInt16
    package let window: UInt16

    package init(interval: UInt16, window: UInt16) {
        self.interval = interval
        self.window = window
    }

    /// The window's share of the interval, times another interval.
    fileprivate func share(of other: UInt16) -> UInt32 { UInt32(window) * UInt32(other) }

    /// Intervals of 100 ms, of which the radio listens for a share.
    ///
    /// - Parameter percent: the share; the shortest window is 2.5 ms (7.8.10).
    package init(percent: Int) {
        let window = UInt16(clamping: Int(Self.continuous.interval) * percent / 100)
        self.init(
            interval: Self.continuous.interval,
            window: min(max(window, 0x0004), Self.continuous.interval))
    }

    /// The share of the time in which the radio listens.
    package var percent: Int { Int(window) * 100 / max(1, Int(interval)) }

    /// 100 ms on each of the three channels in turn, without a pause.
    package static let continuous = ScanTiming(interval: 0xa0, window: 0xa0)
}

/// The parameters of a scan, of the gateway or of another program (7.8.10, 7.8.64).
package struct ScanParameters: Equatable, Sendable {
    private let isActive: Bool
    private let timing: ScanTiming
    /// Whether the scan reports every advertiser, and not only those of the accept list.
    private let acceptsAll: Bool

    /// `nil` for another command, and for a scan that leaves out the LE 1M PHY.
    package init?(_ command: HCICommand) {
        let bytes = command.parameters
        let policy: UInt8
        let first: Int
        switch command.opcode {
        case .leSetScanParameters where bytes.count == 7: (policy, first) = (bytes[6], 0)
        case .leSetExtendedScanParameters where bytes.count >= 8 && bytes[2] & Scan.le1MPhy != 0:
            // The parameters of the LE 1M PHY come first.
            (policy, first) = (bytes[1], 3)
        default: return nil
        }
        isActive = bytes[first] != Scan.passive
        timing = ScanTiming(
            interval: UInt16(bytes[first + 1]) | UInt16(bytes[first + 2]) << 8,
            window: UInt16(bytes[first + 3]) | UInt16(bytes[first + 4]) << 8)
        acceptsAll = policy & Scan.acceptListOnly == 0
    }

    /// Whether such a scan reports all that a scan with the desired timing reports.
    package func serve(_ desired: ScanTiming) -> Bool {
        acceptsAll && timing.share(of: desired.interval) >= desired.share(of: timing.interval)
    }
}

private enum Scan {
    static let passive: UInt8 = 0x00
    static let acceptAll: UInt8 = 0x00
    static let acceptListOnly: UInt8 = 0x01
    static let le1MPhy: UInt8 = 0x01
    static let keepDuplicates: UInt8 = 0x00
}

extension HCICommand {
    /// Passive scan, every advertiser (7.8.10, 7.8.64).
    package static func scanParameters(
        _ timing: ScanTiming, _ family: CommandFamily, from own: OwnAddressType = .public
    ) -> HCICommand {
        let times = timing.interval.littleEndianBytes + timing.window.littleEndianBytes
        let policy = [own.rawValue, Scan.acceptAll]
        return switch family {
        case .legacy: HCICommand(.leSetScanParameters, [Scan.passive] + times + policy)
        case .extended:
            HCICommand(.leSetExtendedScanParameters, policy + [Scan.le1MPhy, Scan.passive] + times)
        }
    }

    /// Scan on or off. The duplicate filter is off: RSSI statistics need every report (7.8.11, 7.8.65).
    package static func scanEnable(_ enable: Bool, _ family: CommandFamily) -> HCICommand {
        let switches: [UInt8] = [enable ? 1 : 0, Scan.keepDuplicates]
        return switch family {
        case .legacy: HCICommand(.leSetScanEnable, switches)
        case .extended:
            // No duration and no period: the scan has no end.
            HCICommand(.leSetExtendedScanEnable, switches + [0, 0, 0, 0])
        }
    }
}

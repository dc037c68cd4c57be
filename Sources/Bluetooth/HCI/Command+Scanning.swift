/// The scan interval and window, in units of 0.625 ms. A window as long as the interval scans without a pause.
package struct ScanTiming: Equatable, Sendable {
    package let interval: UInt16
    package let window: UInt16

    package init(interval: UInt16, window: UInt16) {
        self.interval = interval
        self.window = window
    }

    /// 100 ms on each of the three channels in turn, without a pause.
    package static let continuous = ScanTiming(interval: 0xa0, window: 0xa0)
}

extension Command {
    private enum Scan {
        static let passive: UInt8 = 0x00
        static let publicAddress: UInt8 = 0x00
        static let acceptAll: UInt8 = 0x00
        static let le1MPhy: UInt8 = 0x01
        static let keepDuplicates: UInt8 = 0x00
    }

    /// Passive scan, public own address, every advertiser (7.8.10, 7.8.64).
    package static func scanParameters(_ timing: ScanTiming, _ family: CommandFamily) -> Command {
        let times = timing.interval.littleEndianBytes + timing.window.littleEndianBytes
        let policy = [Scan.publicAddress, Scan.acceptAll]
        return switch family {
        case .legacy: Command(.leSetScanParameters, [Scan.passive] + times + policy)
        case .extended:
            Command(.leSetExtendedScanParameters, policy + [Scan.le1MPhy, Scan.passive] + times)
        }
    }

    /// Scan on or off. The duplicate filter is off: RSSI statistics need every report (7.8.11, 7.8.65).
    package static func scanEnable(_ enable: Bool, _ family: CommandFamily) -> Command {
        let switches: [UInt8] = [enable ? 1 : 0, Scan.keepDuplicates]
        return switch family {
        case .legacy: Command(.leSetScanEnable, switches)
        case .extended:
            // No duration and no period: the scan has no end.
            Command(.leSetExtendedScanEnable, switches + [0, 0, 0, 0])
        }
    }
}

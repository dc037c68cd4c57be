import HCI

/// The scan that the controller runs, derived from its answers to the gateway and to other programs; `nil` means unknown.
struct HeldScan: Equatable {
    private(set) var isEnabled: Bool?
    /// Whether the scan reports duplicates, for an unlimited time.
    private var isComplete: Bool?
    private(set) var parameters: ScanParameters?

    /// Whether another program's scan or the gateway's reports all that the desired scan reports.
    func serves(_ timing: ScanTiming) -> Bool {
        isEnabled == true && isComplete == true && areServing(timing)
    }

    /// The commands that lead to the desired scan.
    ///
    /// A scan of another program goes on if it suffices: it only loses its filter. A Scan Disable would cancel the timer
    /// with which the kernel ends a discovery (Linux, le_set_scan_enable_complete). Controllers refuse parameters during a
    /// scan.
    func missing(
        for timing: ScanTiming, _ family: CommandFamily, from own: OwnAddressType
    ) -> [HCICommand] {
        guard !serves(timing) else { return [] }
        let parameters = HCICommand.scanParameters(timing, family, from: own)
        let enable = HCICommand.scanEnable(true, family)
        return switch isEnabled {
        case true? where areServing(timing): [enable]
        case false? where self.parameters == ScanParameters(parameters): [enable]
        case false?: [parameters, enable]
        case true?, nil: [.scanEnable(false, family), parameters, enable]
        }
    }

    private func areServing(_ timing: ScanTiming) -> Bool { parameters?.serve(timing) ?? false }

    /// The controller has accepted a command.
    mutating func accepted(_ command: HCICommand) {
        switch command.opcode {
        case .leSetScanEnable, .leSetExtendedScanEnable:
            isEnabled = command.parameters.first.map { $0 == 1 }
            // Filter of duplicates, duration, period (7.8.11, 7.8.65).
            isComplete = command.parameters.dropFirst().allSatisfy { $0 == 0 }
        case .leSetScanParameters, .leSetExtendedScanParameters:
            parameters = ScanParameters(command)
        case .reset:
            isEnabled = false
            parameters = nil
        default: break
        }
    }

    /// Another program has changed the scan in an unknown way.
    mutating func forget() { self = HeldScan() }
}

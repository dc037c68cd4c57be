import HCI
import Primitives

/// The commands that scan, of both families (7.8.10, 7.8.11, 7.8.64, 7.8.65).
extension SimulatedController {
    private enum Limit {
        static let legacyTime: ClosedRange<UInt16> = 0x0004...0x4000
        static let extendedTime: ClosedRange<UInt16> = 0x0004...0xffff
        static let le1MPhy: UInt8 = 0x01
        static let codedPhy: UInt8 = 0x04
        /// The units of an extended scan's duration and period.
        static let durationUnit: Duration = .milliseconds(10)
        static let periodUnit: Duration = .milliseconds(1280)
    }

    static func scanParameters(
        _ controller: inout Self, _ parameters: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        try CommandRefusal.unless(!controller.link.scan.isEnabled, .disallowed)
        try CommandRefusal.unless(parameters[0] <= 1)
        try controller.setScan(
            times: (parameters.number16(at: 1), parameters.number16(at: 3)),
            within: Limit.legacyTime, ownAddressType: parameters[5], policy: parameters[6])
        return []
    }

    static func extendedScanParameters(
        _ controller: inout Self, _ parameters: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        try CommandRefusal.unless(!controller.link.scan.isEnabled, .disallowed)
        let phys = parameters[2]
        try CommandRefusal.unless(phys != 0 && phys & ~(Limit.le1MPhy | Limit.codedPhy) == 0)
        try CommandRefusal.unless(parameters.count == 3 + 5 * phys.nonzeroBitCount)
        try CommandRefusal.unless(phys == Limit.le1MPhy, .unsupported)
        try CommandRefusal.unless(parameters[3] <= 1)
        try controller.setScan(
            times: (parameters.number16(at: 4), parameters.number16(at: 6)),
            within: Limit.extendedTime, ownAddressType: parameters[0], policy: parameters[1])
        return []
    }

    static func scanEnable(
        _ controller: inout Self, _ parameters: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        try CommandRefusal.unless(parameters[0] <= 1 && parameters[1] <= 1)
        try controller.switchScan(on: parameters[0] == 1, filterDuplicates: parameters[1])
        return []
    }

    static func extendedScanEnable(
        _ controller: inout Self, _ parameters: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        let duration = Limit.durationUnit * parameters.number16(at: 2)
        let period = Limit.periodUnit * parameters.number16(at: 4)
        try CommandRefusal.unless(parameters[0] <= 1 && parameters[1] <= 2)
        if parameters[0] == 1 {
            try CommandRefusal.unless(parameters[1] != 2 || period > .zero)
            try CommandRefusal.unless(duration == .zero || period == .zero || duration < period)
        }
        try controller.switchScan(on: parameters[0] == 1, filterDuplicates: parameters[1])
        controller.link.scan.duration = duration
        // A period requires a duration.
        controller.link.scan.period = duration > .zero ? period : .zero
        return []
    }

    private mutating func setScan(
        times: (interval: UInt16, window: UInt16), within limits: ClosedRange<UInt16>,
        ownAddressType: UInt8, policy: UInt8
    ) throws(CommandRefusal) {
        try CommandRefusal.unless(limits.contains(times.interval) && limits.contains(times.window))
        try CommandRefusal.unless(times.window <= times.interval)
        try CommandRefusal.unless(ownAddressType <= 3 && policy <= 3)
        link.scan.interval = times.interval
        link.scan.window = times.window
        link.scan.ownAddressType = ownAddressType
        link.scan.filterPolicy = policy
    }

    private mutating func switchScan(on: Bool, filterDuplicates: UInt8) throws(CommandRefusal) {
        guard on else {
            link.scan.isEnabled = false
            return
        }
        try CommandRefusal.unless(ownAddress(ofType: link.scan.ownAddressType) != nil)
        let isPossible = configuration.canScanWhileAdvertising || !link.isAdvertising
        try CommandRefusal.unless(isPossible, .disallowed)
        if !link.scan.isEnabled { link.scan.start = now }
        link.scan.isEnabled = true
        link.scan.filtersDuplicates = filterDuplicates != 0
        link.scan.forgetsDuplicates = filterDuplicates == 2
        link.scan.duration = .zero
        link.scan.period = .zero
        link.scan.forgetSenders()
    }

    /// The address to send from; `nil` while there is none of the type. Without a resolving list, types 2 and 3
    /// come down to 0 and 1.
    func ownAddress(ofType type: UInt8) -> UInt64? {
        type & 1 == 0 ? configuration.publicAddress : link.randomAddress
    }
}

/// The filter accept list: the only senders that a scan with filter policy 1 reports (7.8.14 to 7.8.17).
extension SimulatedController {
    private static let acceptListSize = 16

    static func readAcceptListSize(_: inout Self, _: Parameters) -> [UInt8] {
        [UInt8(acceptListSize)]
    }

    static func clearAcceptList(
        _ controller: inout Self, _: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        try CommandRefusal.unless(!controller.usesAcceptList, .disallowed)
        controller.link.acceptList = []
        return []
    }

    static func addToAcceptList(
        _ controller: inout Self, _ parameters: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        let entry = try controller.acceptListEntry(parameters)
        let isFull = controller.link.acceptList.count >= acceptListSize
        try CommandRefusal.unless(!isFull || controller.link.acceptList.contains(entry), .full)
        controller.link.acceptList.insert(entry)
        return []
    }

    static func removeFromAcceptList(
        _ controller: inout Self, _ parameters: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        let entry = try controller.acceptListEntry(parameters)
        controller.link.acceptList.remove(entry)
        return []
    }

    private var usesAcceptList: Bool { link.scan.isEnabled && link.scan.filterPolicy & 1 == 1 }

    private func acceptListEntry(_ parameters: Parameters) throws(CommandRefusal) -> UInt64 {
        try CommandRefusal.unless(!usesAcceptList, .disallowed)
        // Public, random, or 0xff for those without an address.
        try CommandRefusal.unless(parameters[0] <= 1 || parameters[0] == 0xff)
        return parameters.number(at: 1, width: 6) | UInt64(parameters[0]) << 48
    }
}

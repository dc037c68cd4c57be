import HCI
import Primitives

/// The extended commands that make advertising sets (7.8.52 to 7.8.55, 7.8.57 to 7.8.60, 7.8.74).
extension SimulatedController {
    enum SetLimit {
        static let handle: ClosedRange<UInt8> = 0x00...0xef
        static let number = 4
        static let data = 251
        static let legacyData = 31
        static let leastInterval: UInt32 = 0x20
        static let requestedPower: ClosedRange<Int8> = -127...20
        static let noPreference: Int8 = 127
        static let le1MPhy: UInt8 = 1
        static let codedPhy: UInt8 = 3
    }

    static func setParametersOfSet(
        _ controller: inout Self, _ parameters: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        let handle = parameters[0]
        try CommandRefusal.unless(SetLimit.handle.contains(handle))
        var set = controller.link.sets[handle] ?? AdvertisingSet()
        try CommandRefusal.unless(!set.isEnabled, .disallowed)
        let isNew = controller.link.sets[handle] == nil
        try CommandRefusal.unless(!isNew || controller.link.sets.count < SetLimit.number, .full)
        try set.take(parameters)
        let requested = Int8(bitPattern: parameters[19])
        set.txPower =
            requested == SetLimit.noPreference
            ? controller.configuration.usualTxPower
            : controller.configuration.nearestTxPower(to: requested)
        controller.link.sets[handle] = set
        return [UInt8(bitPattern: set.txPower)]
    }

    static func setRandomAddressOfSet(
        _ controller: inout Self, _ parameters: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        let set = try controller.existingSet(parameters[0])
        let isConnectable = set.properties & AdvertisingSet.Property.connectable != 0
        try CommandRefusal.unless(!set.isEnabled || !isConnectable, .disallowed)
        controller.link.sets[parameters[0]]?.randomAddress = parameters.number(at: 1, width: 6)
        return []
    }

    static func setDataOfSet(
        _ controller: inout Self, _ parameters: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        var set = try controller.existingSet(parameters[0])
        set.data = try set.fragment(parameters, after: set.data)
        controller.link.sets[parameters[0]] = set
        return []
    }

    static func setScanResponseOfSet(
        _ controller: inout Self, _ parameters: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        var set = try controller.existingSet(parameters[0])
        let isScannable = set.properties & AdvertisingSet.Property.scannable != 0
        try CommandRefusal.unless(isScannable || parameters[3] == 0)
        set.scanResponse = try set.fragment(parameters, after: set.scanResponse)
        controller.link.sets[parameters[0]] = set
        return []
    }

    static func readMaxAdvertisingData(_: inout Self, _: Parameters) -> [UInt8] {
        UInt16(SetLimit.data).littleEndianBytes
    }

    static func readNumberOfSets(_: inout Self, _: Parameters) -> [UInt8] {
        [UInt8(SetLimit.number)]
    }

    static func readTransmitPower(_ controller: inout Self, _: Parameters) -> [UInt8] {
        let range = controller.configuration.txPower
        return [range.lowerBound, range.upperBound].map { UInt8(bitPattern: $0) }
    }

    static func removeSet(
        _ controller: inout Self, _ parameters: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        let set = try controller.existingSet(parameters[0])
        try CommandRefusal.unless(!set.isEnabled, .disallowed)
        controller.link.sets[parameters[0]] = nil
        return []
    }

    static func clearSets(_ controller: inout Self, _: Parameters) throws(CommandRefusal) -> [UInt8]
    {
        try CommandRefusal.unless(!controller.link.isAdvertising, .disallowed)
        controller.link.sets = [:]
        return []
    }

    func existingSet(_ handle: UInt8) throws(CommandRefusal) -> AdvertisingSet {
        guard let set = link.sets[handle] else { throw CommandRefusal.unknownSet }
        return set
    }
}

extension AdvertisingSet {
    /// Takes over the parameters of LE Set Extended Advertising Parameters (7.8.53) but for the power, all or none.
    fileprivate mutating func take(_ parameters: Parameters) throws(CommandRefusal) {
        typealias Limit = SimulatedController.SetLimit
        let properties = parameters.number16(at: 1)
        let least = UInt32(truncatingIfNeeded: parameters.number(at: 3, width: 3))
        let most = UInt32(truncatingIfNeeded: parameters.number(at: 6, width: 3))
        let power = Int8(bitPattern: parameters[19])
        try CommandRefusal.unless(properties & ~Property.known == 0)
        if properties & Property.legacy != 0 {
            try CommandRefusal.unless(Property.legacyCombinations.contains(properties))
            try CommandRefusal.unless(data.count <= Limit.legacyData)
        } else {
            let both = Property.connectable | Property.scannable
            try CommandRefusal.unless(properties & both != both)
            try CommandRefusal.unless(properties & Property.highDuty == 0)
        }
        try CommandRefusal.unless(least >= Limit.leastInterval && least <= most)
        try CommandRefusal.unless((1...7).contains(parameters[9]))
        try CommandRefusal.unless(parameters[10] <= 3 && parameters[11] <= 1 && parameters[18] <= 3)
        try CommandRefusal.unless(
            power == Limit.noPreference || Limit.requestedPower.contains(power))
        // Primary physical channel, secondary one, advertising SID, scan request notification.
        try CommandRefusal.unless([Limit.le1MPhy, Limit.codedPhy].contains(parameters[20]))
        try CommandRefusal.unless((1...3).contains(parameters[22]))
        try CommandRefusal.unless(parameters[20] == Limit.le1MPhy, .unsupported)
        try CommandRefusal.unless(parameters[23] <= 0x0f && parameters[24] <= 1)
        self.properties = properties
        interval = least...most
        channels = parameters[9]
        ownAddressType = parameters[10]
    }

    /// The data after a command that sets all of them or a part (7.8.54, 7.8.55).
    fileprivate mutating func fragment(
        _ parameters: Parameters, after old: [UInt8]
    ) throws(CommandRefusal) -> [UInt8] {
        typealias Limit = SimulatedController.SetLimit
        let (operation, count) = (parameters[1], Int(parameters[3]))
        try CommandRefusal.unless(operation <= 4 && parameters[2] <= 1)
        try CommandRefusal.unless(parameters.count == 4 + count)
        let isComplete = operation == 3
        try CommandRefusal.unless(!isEnabled || isComplete || operation == 4, .disallowed)
        if isLegacy { try CommandRefusal.unless(isComplete && count <= Limit.legacyData) }
        let new = parameters.bytes(at: 4, count: count)
        switch operation {
        case 3:
            isFragmented = false
            return new
        case 4:
            // Only the data's identifier is to change.
            try CommandRefusal.unless(isEnabled && count == 0 && !old.isEmpty)
            return old
        default:
            try CommandRefusal.unless(count > 0)
            try CommandRefusal.unless(operation == 1 || isFragmented, .disallowed)
            let whole = operation == 1 ? new : old + new
            try CommandRefusal.unless(whole.count <= Limit.data, .full)
            isFragmented = operation != 2
            return whole
        }
    }
}

/// Advertising sets on the air and off it (7.8.56), and what ends by itself.
extension SimulatedController {
    private enum Enabling {
        /// Handle, duration, number of events.
        static let entryCount = 4
        static let durationUnit: Duration = .milliseconds(10)
        static let setTerminated: UInt8 = 0x12
        static let scanTimeout: UInt8 = 0x11
        static let advertisingTimeout: UInt8 = 0x3c
        static let noConnection: UInt16 = 0x0fff
    }

    static func enableSets(
        _ controller: inout Self, _ parameters: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        let (on, count) = (parameters[0], Int(parameters[1]))
        try CommandRefusal.unless(on <= 1 && parameters.count == 2 + Enabling.entryCount * count)
        if count == 0 {
            try CommandRefusal.unless(on == 0)
            for handle in controller.link.sets.keys {
                controller.link.sets[handle]?.isEnabled = false
            }
            return []
        }
        // All sets or none.
        var sets = controller.link.sets
        var handles: Set<UInt8> = []
        for index in 0..<count {
            let entry = 2 + Enabling.entryCount * index
            let handle = parameters[entry]
            try CommandRefusal.unless(handles.insert(handle).inserted)
            var set = try controller.existingSet(handle)
            if on == 1 { try controller.check(set) }
            set.isEnabled = on == 1
            let duration = Enabling.durationUnit * parameters.number16(at: entry + 1)
            set.end = duration > .zero ? controller.now + duration : nil
            sets[handle] = set
        }
        controller.link.sets = sets
        return []
    }

    /// Whether the set may go on the air.
    private func check(_ set: AdvertisingSet) throws(CommandRefusal) {
        try CommandRefusal.unless(canAdvertiseNow, .disallowed)
        try CommandRefusal.unless(!set.isFragmented, .disallowed)
        let mustRespond = !set.isLegacy && set.properties & AdvertisingSet.Property.scannable != 0
        try CommandRefusal.unless(!mustRespond || !set.scanResponse.isEmpty, .disallowed)
        let isPublic = set.ownAddressType & 1 == 0
        let own = isPublic ? configuration.publicAddress : set.randomAddress
        try CommandRefusal.unless(own != nil)
    }

    /// Ends the scan and the sets whose duration is over, and says so.
    mutating func endWhatHasTimedOut() {
        if link.scan.isEnabled, link.scan.duration > .zero, link.scan.period == .zero,
            now - link.scan.start >= link.scan.duration
        {
            link.scan.isEnabled = false
            emit(leEvent: Enabling.scanTimeout, [])
        }
        for (handle, set) in link.sets.sorted(by: { $0.key < $1.key }) {
            guard set.isEnabled, let end = set.end, end <= now else { continue }
            link.sets[handle]?.isEnabled = false
            emit(
                leEvent: Enabling.setTerminated,
                [Enabling.advertisingTimeout, handle] + Enabling.noConnection.littleEndianBytes
                    + [0])
        }
    }
}

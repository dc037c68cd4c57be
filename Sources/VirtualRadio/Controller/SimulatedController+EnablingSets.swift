import HCI
import Primitives

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

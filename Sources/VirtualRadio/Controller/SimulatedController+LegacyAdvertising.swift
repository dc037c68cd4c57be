import HCI

/// The legacy commands that advertise (7.8.5 to 7.8.9).
extension SimulatedController {
    private enum Limit {
        static let interval: ClosedRange<UInt16> = 0x0020...0x4000
        static let data = 31
        /// Event properties by advertising type.
        static let properties: [UInt16] = [0x13, 0x1d, 0x12, 0x10, 0x15]
        /// High duty cycle directed advertising has no interval.
        static let highDutyDirected: UInt8 = 1
        /// ADV_SCAN_IND and ADV_NONCONN_IND, which before version 5.0 had a longer one (Core 4.2 Vol 2 Part E 7.8.5).
        static let slowTypes: ClosedRange<UInt8> = 2...3
        static let slowInterval: UInt16 = 0x00a0
    }

    static func advertisingParameters(
        _ controller: inout Self, _ parameters: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        try CommandRefusal.unless(!controller.link.advertising.isEnabled, .disallowed)
        let (least, most) = (parameters.number16(at: 0), parameters.number16(at: 2))
        let type = parameters[4]
        try CommandRefusal.unless(Int(type) < Limit.properties.count)
        if type != Limit.highDutyDirected {
            try CommandRefusal.unless(
                Limit.interval.contains(least) && Limit.interval.contains(most))
            try CommandRefusal.unless(least <= most)
            let isSlow =
                controller.configuration.version.advertisesSlowly && Limit.slowTypes.contains(type)
            try CommandRefusal.unless(!isSlow || least >= Limit.slowInterval)
        }
        try CommandRefusal.unless(parameters[5] <= 3 && parameters[6] <= 1)
        try CommandRefusal.unless((1...7).contains(parameters[13]) && parameters[14] <= 3)
        controller.link.advertising.properties = Limit.properties[Int(type)]
        controller.link.advertising.interval = UInt32(least)...UInt32(max(least, most))
        controller.link.advertising.ownAddressType = parameters[5]
        controller.link.advertising.channels = parameters[13]
        return []
    }

    static func readAdvertisingPower(_ controller: inout Self, _: Parameters) -> [UInt8] {
        [UInt8(bitPattern: controller.configuration.usualTxPower)]
    }

    static func advertisingData(
        _ controller: inout Self, _ parameters: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        try CommandRefusal.unless(parameters[0] <= Limit.data)
        controller.link.advertising.data = parameters.bytes(at: 1, count: Int(parameters[0]))
        return []
    }

    static func scanResponseData(
        _ controller: inout Self, _ parameters: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        try CommandRefusal.unless(parameters[0] <= Limit.data)
        controller.link.advertising.scanResponse =
            parameters.bytes(at: 1, count: Int(parameters[0]))
        return []
    }

    static func advertisingEnable(
        _ controller: inout Self, _ parameters: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        try CommandRefusal.unless(parameters[0] <= 1)
        if parameters[0] == 1 {
            let type = controller.link.advertising.ownAddressType
            try CommandRefusal.unless(controller.ownAddress(ofType: type) != nil)
            try CommandRefusal.unless(controller.canAdvertiseNow, .disallowed)
        }
        controller.link.advertising.isEnabled = parameters[0] == 1
        return []
    }

    var canAdvertiseNow: Bool {
        configuration.canScanWhileAdvertising || !link.scan.isEnabled
    }
}

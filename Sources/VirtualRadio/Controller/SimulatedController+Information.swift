import HCI

/// The commands that ask what the controller is, and the few that set something for all of it.
extension SimulatedController {
    /// The version. It is independent of extended commands. The manufacturer is unassigned (7.4.1).
    static func readLocalVersion(_ controller: inout Self, _: Parameters) -> [UInt8] {
        let version = controller.configuration.version.rawValue
        return [version, 0x00, 0x00, version, 0xff, 0xff, 0x00, 0x00]
    }

    static func readSupportedCommands(_ controller: inout Self, _: Parameters) -> [UInt8] {
        KnownCommand.supportedCommands(of: controller.configuration.family)
    }

    /// LE supported (bit 38), BR/EDR not supported (bit 37) (7.4.3, Vol 2 Part C 3.3).
    static func readLocalFeatures(_: inout Self, _: Parameters) -> [UInt8] {
        [0x00, 0x00, 0x00, 0x00, 0x60, 0x00, 0x00, 0x00]
    }

    /// No buffers but the LE ones (7.4.5).
    static func readBufferSize(_: inout Self, _: Parameters) -> [UInt8] {
        [UInt8](repeating: 0, count: 7)
    }

    static func readDeviceAddress(_ controller: inout Self, _: Parameters) -> [UInt8] {
        Array(controller.configuration.address.littleEndianBytes.prefix(6))
    }

    /// The least that the specification allows: 27 bytes (7.8.2); connections are not to be had here.
    static func readLEBufferSize(_: inout Self, _: Parameters) -> [UInt8] { [27, 0, 4] }

    /// LE Extended Advertising (bit 12) if configured, and no other feature (7.8.3, Vol 6 Part B
    /// 4.6).
    static func readLEFeatures(_ controller: inout Self, _: Parameters) -> [UInt8] {
        let features: UInt64 = controller.configuration.family == .extended ? 1 << 12 : 0
        return features.littleEndianBytes
    }

    /// Every kind of undirected advertising (bits 0 to 2), both kinds of scanning (4, 5), and, for most
    /// controllers, the combinations of these (8 to 10, 12 to 14) (7.8.27).
    static func readLEStates(_ controller: inout Self, _: Parameters) -> [UInt8] {
        let states: UInt64 = controller.configuration.canScanWhileAdvertising ? 0x7737 : 0x0037
        return states.littleEndianBytes
    }

    static func reset(_ controller: inout Self, _: Parameters) -> [UInt8] {
        controller.link = LinkState()
        controller.trouble.reset()
        return []
    }

    static func setEventMask(_ controller: inout Self, _ parameters: Parameters) -> [UInt8] {
        controller.link.eventMask = parameters.number(at: 0, width: 8)
        return []
    }

    /// Not with bits that the version reserves.
    static func setLEEventMask(
        _ controller: inout Self, _ parameters: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        let mask = parameters.number(at: 0, width: 8)
        try CommandRefusal.unless(mask & ~controller.configuration.version.leEvents == 0)
        controller.link.leEventMask = mask
        return []
    }

    /// A command that has nothing to act on here.
    static func accept(_: inout Self, _: Parameters) -> [UInt8] { [] }

    static func writeLocalName(_ controller: inout Self, _ parameters: Parameters) -> [UInt8] {
        controller.localName = parameters.bytes(at: 0, count: 248)
        return []
    }

    static func readLocalName(_ controller: inout Self, _: Parameters) -> [UInt8] {
        controller.localName
    }

    /// Not while legacy advertising or scanning uses the old one (7.8.4).
    static func setRandomAddress(
        _ controller: inout Self, _ parameters: Parameters
    ) throws(CommandRefusal) -> [UInt8] {
        let isInUse = controller.link.scan.isEnabled || controller.link.advertising.isEnabled
        try CommandRefusal.unless(!isInUse, .disallowed)
        controller.link.randomAddress = parameters.number(at: 0, width: 6)
        return []
    }
}

import HCI

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

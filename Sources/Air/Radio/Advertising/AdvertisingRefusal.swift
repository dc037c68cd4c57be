import HCI

/// Why the controller does not advertise as requested.
package struct AdvertisingRefusal: Error, Equatable, Sendable {
    /// The refused command; `nil` if the gateway sent none.
    package let opcode: Opcode?
    package let status: HCIStatus?
    /// Whether a longer interval would help.
    package let concernsInterval: Bool
    /// The cause and the remedy, for an operator.
    package let sentence: String

    package init(opcode: Opcode?, status: HCIStatus?, concernsInterval: Bool, sentence: String) {
        self.opcode = opcode
        self.status = status
        self.concernsInterval = concernsInterval
        self.sentence = sentence
    }

    /// The refusal that LE Supported States predict.
    static let cannotScanWhileAdvertising = AdvertisingRefusal(
        opcode: nil, status: nil, concernsInterval: false,
        sentence: "this controller can't scan and advertise at the same time: use another adapter")

    /// 4.x controllers refuse shorter intervals for advertising that is neither connectable nor directed (Core 4.2 Vol 2
    /// Part E 7.8.5). The unit is 0.625 ms.
    private static let shortestIntervalBefore5: UInt16 = 0xa0

    /// - Parameter advertising: the refused parameters, if the command set parameters.
    init(_ opcode: Opcode, _ status: HCIStatus, parametersOf advertising: Advertising?) {
        self.opcode = opcode
        self.status = status
        let isShort = advertising.map { $0.interval.units < Self.shortestIntervalBefore5 } ?? false
        concernsInterval = isShort && [.invalidParameters, .unsupportedFeature].contains(status)
        var sentence = "the controller refused \(opcode) with \(status)"
        if concernsInterval {
            sentence +=
                ": controllers before Bluetooth 5.0 allow no interval below 100 ms for non-connectable advertising"
        } else if status == .commandDisallowed {
            sentence +=
                ": another program drives it; stop that (bluetoothd?) or use the user channel"
        }
        self.sentence = sentence
    }
}

extension AdvertisingRefusal: CustomStringConvertible {
    package var description: String { sentence }
}

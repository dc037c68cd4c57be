import HCI

/// Why the controller does not advertise as wished: a sentence for the person who must act.
package struct AdvertisingRefusal: Error, Equatable, Sendable {
    /// The command that was refused; `nil` when none was sent.
    package let opcode: Opcode?
    package let status: Status?
    /// Whether a longer interval would help.
    package let concernsInterval: Bool
    package let sentence: String

    package init(opcode: Opcode?, status: Status?, concernsInterval: Bool, sentence: String) {
        self.opcode = opcode
        self.status = status
        self.concernsInterval = concernsInterval
        self.sentence = sentence
    }

    /// What LE Supported States say beforehand.
    static let cannotScanWhileAdvertising = AdvertisingRefusal(
        opcode: nil, status: nil, concernsInterval: false,
        sentence: "this controller can't scan and advertise at the same time: use another adapter")

    /// Below it, 4.x controllers refuse advertising that is neither connectable nor directed (Core 4.2 Vol 2
    /// Part E 7.8.5), in units of 0.625 ms.
    private static let leastIntervalBefore5: UInt16 = 0xa0

    /// - Parameter advertising: what was to be advertised when its parameters were refused.
    init(_ opcode: Opcode, _ status: Status, parametersOf advertising: Advertising?) {
        self.opcode = opcode
        self.status = status
        let isShort = advertising.map { $0.interval.units < Self.leastIntervalBefore5 } ?? false
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

import HCI

/// Something that a virtual radio does wrong, on purpose, at a set time.
package struct Misbehaviour: Equatable, Sendable {
    /// What it does.
    package enum Kind: Equatable, Sendable {
        /// No answers and no reports for this time. Commands in that time are answered afterwards.
        case stall(Duration)
        /// The next `times` uses of the command are answered with `status`; without a number, all.
        case refuse(Opcode, HCIStatus, times: Int?)
        /// A Hardware Error event; scanning and advertising end.
        case hardwareError(code: UInt8)
        /// Commands are answered, but nothing is reported: for so long, or until the controller is reset.
        case silent(Duration?)
        /// The connection is dropped, and none is taken for so long.
        case close(Duration)
    }

    /// The event that a misbehaviour follows.
    package enum Origin: Equatable, Sendable {
        /// The virtual radio's start.
        case start
        /// The first scan of the host.
        case firstScan
    }

    /// The time after its origin.
    package let at: Duration
    package let origin: Origin
    package let kind: Kind

    package init(at: Duration, after origin: Origin = .start, _ kind: Kind) {
        self.at = at
        self.origin = origin
        self.kind = kind
    }
}

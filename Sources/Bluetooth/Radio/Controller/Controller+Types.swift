import HCI

/// What comes out of the dialogue.
extension Controller {
    package enum Action: Equatable, Sendable {
        case send(Command)
        /// From now on the radio hears.
        case hearing
        /// From now on it does not.
        case deaf
        /// What came of the latest wish.
        case advertised(AdvertisingOutcome)
        /// What is on the air has changed without a wish.
        case advertisingChanged
        /// The controller has answered the probe.
        case answered
        /// It has not, in time.
        case unanswered
    }

    /// Why the dialogue can't go on; the transport is to be closed and opened anew.
    package enum Fault: Error, Equatable, Sendable {
        case timedOut(Opcode)
        case refused(Opcode, Status)
        case hardwareError(UInt8)
    }
}

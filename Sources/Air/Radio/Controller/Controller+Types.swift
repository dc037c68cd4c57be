import HCI

/// The outputs of the controller's state machine.
extension Controller {
    package enum Action: Equatable, Sendable {
        case send(HCICommand)
        case notify(Notice)
    }

    /// A change that the owner of the radio needs to know.
    package enum Notice: Equatable, Sendable {
        case scanStarted
        case scanStopped
        /// The shared controller disallows a command of the scan, because another program uses it. The gateway tries again.
        case scanDisallowed(Opcode)
        /// The result of the latest request; a request that a newer one replaces has none.
        case advertised(AdvertisingOutcome)
        /// The advertising has changed without a request: another program stopped it, or the gateway restored it.
        case advertisingChanged
        case probeAnswered
        case probeTimedOut
    }

    /// An error after which the owner must close the transport and open it again.
    package enum Fault: Error, Equatable, Sendable {
        case timedOut(Opcode)
        case refused(Opcode, HCIStatus)
        case hardwareError(UInt8)
    }
}

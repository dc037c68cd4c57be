import Outbox
import Primitives

/// A message from the radio's process to the uplink's.
package enum UplinkMessage: Equatable, Sendable {
    /// A batch to publish, with the wall clock at the time when it was made.
    ///
    /// `isDecided`: an earlier uplink had it and may have sent it, so its message never changes.
    case batch(StoredBatch, isDecided: Bool)
    case radio(RadioHealth)
    /// The state of the controller and of the advertising.
    case controller(ControllerState)
    /// The result of an order, and the state of the radio after it.
    case answer(ApplyResult, ControllerState)
    /// What the radio's process uses; the uplink answers with its account, as a sign of life.
    case usage(ProcessUsage)
    /// Read the configuration file again.
    case reload
    /// Deliver or store all batches, publish `offline`, and end.
    case stop
}

/// What a process takes of the machine.
package struct ProcessUsage: Equatable, BitwiseCopyable, Sendable {
    /// Resident bytes that no other process shares.
    package var anonymousBytes: Int64 = 0
    package var processor: Duration = .zero

    package init() {}
}

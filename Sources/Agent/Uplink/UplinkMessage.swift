import Sightings

/// A message from the radio thread to the uplink thread.
package enum UplinkMessage: Sendable {
    /// A batch to publish, and the wall clock at the time when the batch was made.
    case batch(Batch, Stamp)
    case radio(RadioHealth)
    /// The state of the controller and of the advertising.
    case controller(ControllerState)
    /// The result of an order, and the state of the radio after it.
    case answer(ApplyResult, ControllerState)
    /// Read the configuration file again.
    case reload
    /// Deliver or store all batches, publish `offline`, and end.
    case stop
}

import Sightings

/// What the radio thread tells the uplink thread.
package enum UplinkMessage: Sendable {
    /// A batch to publish, and the wall clock as it stood when the batch was made.
    case batch(Batch, Stamp)
    case radio(RadioHealth)
    /// What is on the air, and whether a controller is there.
    case standing(ControllerState)
    /// What became of an order, and how the radio stands since.
    case answer(ApplyResult, ControllerState)
    /// Read the local file again, and take over what has changed.
    case reload
    /// Publish what there is, say offline, and end.
    case stop
}

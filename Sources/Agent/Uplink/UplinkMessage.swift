import Sighting

/// What the radio thread tells the uplink thread.
package enum UplinkMessage: Sendable {
    /// A batch to publish, and the wall clock as it stood when the batch was made.
    case batch(Batch, Stamp)
    case radio(RadioHealth)
    /// Publish what there is, say offline, and end.
    case stop
}

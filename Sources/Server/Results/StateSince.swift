import Queueing

/// Since when the published state of a queue holds.
///
/// The estimator dates a state by its gateways alone. A tag in doubt also makes a queue unknown: such a state is no older than
/// the last other one.
struct StateSince {
    private var state: QueuePeriod.State?
    private var changed: UnixSecond?
    private var date: UnixSecond?

    /// - Parameters:
    ///   - since: the date of the estimator.
    ///   - time: the end of the last second that the state describes.
    mutating func on(
        _ new: QueuePeriod.State, since: UnixSecond?, at time: UnixSecond?
    ) -> UnixSecond? {
        if let state, state != new { (changed, date) = (time, nil) }
        state = new
        // A state that goes on has no later date: only its gateways have another state.
        let begins = [changed, since].compactMap(\.self).max()
        date = [date, begins].compactMap(\.self).min()
        return date
    }
}

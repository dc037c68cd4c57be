import Facts
import Primitives
import Queueing

/// The present state of each queue of a site, as it is published: steady, and with the causes that only the server knows.
struct QueueStates {
    private var published: [String: PublishedState] = [:]
    /// Why windows of a gateway were missing last, and until when.
    private var absences: [String: QueueNow.Absence] = [:]

    /// - Parameter current: why windows of these gateways are missing.
    mutating func on(
        _ states: [QueueNow], absences current: [String: QueueNow.Reason.Cause]
    ) -> [QueueNow] {
        let latest = states.compactMap(\.at).max()
        for (gateway, cause) in current {
            absences[gateway] = QueueNow.Absence(cause, until: latest)
        }
        return states.map { state in
            published[state.queue, default: PublishedState()].on(state)
                .explained(by: absences)
        }
    }
}

/// The published state of a queue: it does not go back and forth, and has a date.
///
/// The estimator judges each second by itself, and a doubt about a tag can come and go with each second. A queue that was known
/// becomes unknown immediately. It is known again after some seconds without a doubt. The estimator dates a state by the
/// queue's gateways alone: a state that follows from a tag in doubt is no older than the one before it.
struct PublishedState {
    private var last: QueueNow?
    private var wasKnown = false
    /// The first of the latest seconds of which the estimator knows the queue.
    private var knownSince: UnixSecond?
    private var changed: UnixSecond?
    private var date: UnixSecond?

    /// A known queue is known for so long before it is published, after an interruption.
    private static let pause = Duration.seconds(10)

    /// - Returns: the queue to publish, with the date of its state.
    mutating func on(_ now: QueueNow) -> QueueNow {
        var result = steady(now)
        if let last, last.state != result.state { (changed, date) = (result.at, nil) }
        // A state that goes on has no later date: only its gateways have another state.
        let begins = [changed, result.since].compactMap(\.self).max()
        date = [date, begins].compactMap(\.self).min()
        result.since = date
        last = result
        return result
    }

    /// The queue, which stays unknown for a pause.
    private mutating func steady(_ now: QueueNow) -> QueueNow {
        guard now.state != .unknown, let at = now.at else {
            knownSince = nil
            return now
        }
        // A clock that was set back begins the pause anew.
        let since = min(knownSince ?? at, at)
        knownSince = since
        let isInPause = wasKnown && last?.state == .unknown && at - since < Self.pause
        if isInPause, let last { return now.unknown(reasons: last.reasons) }
        wasKnown = true
        return now
    }
}

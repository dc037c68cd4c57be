import Primitives

/// The end of the uplink: it delivers or stores all batches, publishes `offline`, and disconnects.
enum Shutdown: Equatable {
    case running
    /// Until the deadline; `nil` for no limit.
    case stopping(deadline: Instant?)

    /// What the shutdown depends on.
    struct Progress: Equatable {
        /// Batches that are neither delivered nor stored.
        var unsaved: Int
        /// Whether the broker has acknowledged every new batch.
        var isLiveDelivered: Bool
        /// Publications that the connected broker has not acknowledged; `nil` without a connection.
        var unacknowledged: Int?
        /// Whether the connection has published `offline`.
        var isOffline: Bool
    }

    enum Step: Equatable {
        case wait
        case publishOffline
        case disconnect
    }

    var isStopping: Bool { self != .running }

    var deadline: Instant? {
        if case .stopping(let deadline) = self { deadline } else { nil }
    }

    /// Whether the uplink ends: nothing is left to do, or the time is over.
    func isDone(unsaved: Int, isConnected: Bool, at now: Instant) -> Bool {
        guard case .stopping(let deadline) = self else { return false }
        if let deadline, now >= deadline { return true }
        return !isConnected && unsaved == 0
    }

    /// After the last acknowledgement, `offline` is published. After its acknowledgement, the connection ends.
    func step(_ progress: Progress) -> Step {
        guard isStopping, progress.unsaved == 0, progress.isLiveDelivered,
            progress.unacknowledged == 0
        else { return .wait }
        return progress.isOffline ? .disconnect : .publishOffline
    }
}

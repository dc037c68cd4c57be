import Primitives
import Sightings

/// Whether what a clock labelled that nobody had set waits for somebody to set it.
///
/// It is for a machine that has just started. Where no clock is ever set, not every batch must be late: the patience is
/// counted from when there was a broker for the first time, and a clock that is lost later holds nothing.
struct Hold {
    /// In microseconds.
    private var patience: Int64
    /// When it is over at the latest.
    private var end: Instant?
    private var isOver: Bool

    init(_ patience: Int64) {
        self.patience = patience
        isOver = patience <= 0
    }

    /// Whether it goes on, now that there is a broker.
    ///
    /// - Parameter clock: `nil` where batches bring their own time: there is nothing to wait for.
    mutating func goesOn(_ clock: Stamp?, at now: Instant) -> Bool {
        guard !isOver else { return false }
        let end = end ?? now.advanced(byMicroseconds: patience)
        self.end = end
        isOver = clock?.clock != .unsynced || end <= now
        return !isOver
    }

    /// Whether something may still have to wait.
    var isPossible: Bool { !isOver }

    /// When it is over at the latest; `nil` when it is, and before there was a broker.
    var deadline: Instant? { isOver ? nil : end }

    /// Another patience: one that began has been going on since then.
    mutating func change(to patience: Int64) {
        end = end?.advanced(byMicroseconds: patience - self.patience)
        self.patience = patience
        if patience <= 0 { isOver = true }
    }

    /// Ends it, whatever the clock says.
    mutating func letGo() { isOver = true }

    /// Whether a parcel that was never handed out would be stamped anew by a clock of `here` that is set.
    static func concerns(_ parcel: Parcel, at here: Origin) -> Bool {
        parcel.stamp.clock == .unsynced && parcel.origin.sharesClock(with: here)
    }
}

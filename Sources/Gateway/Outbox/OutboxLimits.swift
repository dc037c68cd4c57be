/// The limits of an outbox.
package struct OutboxLimits: Equatable, Sendable {
    /// The size of the stored batches.
    package var maxBytes: Int
    /// The age of a batch, from the end of its window.
    package var maxAge: Duration
    /// The time that a batch waits in memory before it is stored. Zero: it is stored before it is sent. `nil`: it is
    /// never stored and never dropped.
    package var persistAfter: Duration?
    /// The rate of the backlog.
    package var backlogPerSecond: Int
    /// The time that batches wait for the clock to be set, from the first connection to a broker.
    package var clockSyncDelay: Duration
    /// The time that batches are kept which the broker does not authorise.
    package var refusedHold: Duration
    /// The sightings of a merged message.
    package var maxSightings = 500

    /// The batches in flight: libmosquitto's own limit, so that its queue stays empty.
    package static let widestWindow = 20
    /// The size of the stored batches without a disk.
    package static let maxMemory = 16 << 20
    /// The estimated memory of batches that are not stored. Beyond it, they are stored before their time.
    package static let maxUnstored = 16 << 20
    /// After this number of attempts without an acknowledgement, a batch is sent last and alone …
    static let mostAttempts = 10
    /// … and not more often than this.
    static let suspectPause: Duration = .seconds(600)
    /// The time between two suspects, while the broker answers none.
    static let suspectGap: Duration = .seconds(30)
    /// The time that a suspect waits until no other batch is in flight. Then no other batch is sent before it.
    static let suspectPatience: Duration = .seconds(60)
    /// With this number of suspects, no other batch is sent for the first time.
    static let mostSuspects = widestWindow
    /// The batches of the backlog that are loaded together.
    static let loadedAhead = 32
    /// Released rows are removed when this number has accumulated …
    static let removedTogether = 256
    /// … or after this time.
    static let removedAfter: Duration = .seconds(10)
    /// The time between two searches for old batches.
    static let expiryInterval: Duration = .seconds(60)
    /// The backlog starts at a random time up to this after the connection.
    static let backlogSpread: Duration = .seconds(2)

    package init(
        maxBytes: Int = 64 << 20, maxAge: Duration = .seconds(168 * 3600),
        spillAfter: Duration = .seconds(2), backlogPerSecond: Int = 10,
        holdUnsynced: Duration = .zero, refusedHold: Duration = .seconds(600)
    ) {
        self.maxBytes = max(0, maxBytes)
        self.maxAge = max(.zero, min(maxAge, .seconds(1_000_000 * 3600)))
        persistAfter = max(.zero, min(spillAfter, .seconds(3600)))
        self.backlogPerSecond = max(1, min(backlogPerSecond, 1_000_000))
        clockSyncDelay = max(.zero, min(holdUnsynced, .seconds(3600)))
        self.refusedHold = max(.zero, min(refusedHold, .seconds(86_400)))
    }
}

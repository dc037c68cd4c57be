import Logging
import Posix
import Primitives
import ResultStore
import ServerConfiguration

/// Looks after the store's file: tries a disk again that failed, checks rows, removes old ones, and logs what happens.
struct StoreKeeper {
    private var next: Instant?
    /// Sentences about files that can't be erased.
    private(set) var faults: [String] = []

    private static let pause = Duration.seconds(60)

    /// The owner calls it every second. One call removes a few hundred rows, and checks some dozens.
    ///
    /// - Parameters:
    ///   - days: the running days of the sites, whose windows stay.
    ///   - wall: `nil` keeps everything: the clock may be wrong.
    mutating func tick(
        _ store: any ResultStore, _ days: some Collection<LocalDay>, wall: UnixTime?, _ log: Log,
        at now: Instant
    ) {
        // A disk that works again, or the end of a replacement, waits for no message.
        _ = store.retry(at: now)
        store.checkNext(at: now)
        for event in store.takeEvents() { report(event, log) }
        if let next, now < next { return }
        guard let wall else { return }
        let day = days.map(\.span.lowerBound).min() ?? wall
        let erasure = store.eraseSetAside(wall: wall, day: day)
        report(erasure, log)
        let isMore = store.expire(at: now, wall: wall, day: day)
        guard !isMore, !erasure.isMore else { return }
        store.forget()
        next = now + Self.pause
    }

    private mutating func report(_ erasure: SetAsideErasure, _ log: Log) {
        for path in erasure.erased {
            log.info("a store that was set aside is erased", ["file": path])
        }
        for fault in erasure.faults where !faults.contains(fault) {
            log.error("a store that was set aside stays: retrying", ["reason": fault])
        }
        faults = erasure.faults
    }

    private func report(_ event: StoreEvent, _ log: Log) {
        switch event {
        // The loop logs these with the state of its results.
        case .unavailable, .available: break
        case .replaced(let aside, let reason, let rows):
            log.error(
                "the store was damaged: continuing with its readable rows",
                ["reason": reason, "rows": rows, "damaged": aside])
        case .removed(let path, let isRestored):
            log.error(
                isRestored
                    ? "another program removed the store's file: its rows are in a new one"
                    : "another program removed or replaced the store's file: the file at its place is used",
                ["path": path])
        case .logRemoved(let path):
            log.error(
                "another program removed the log of the store: its rows are in the store's file",
                ["path": path])
        case .indexTruncated(let path):
            log.error(
                "another program truncated the index of the store's log: it is built again",
                ["path": path])
        }
    }
}

extension StoreRetention {
    init(_ configuration: ServerConfiguration) {
        let day = Duration.seconds(86_400)
        let settings = configuration.retention
        self.init(
            minutes: day * settings.minutesDays, hours: day * settings.hoursDays,
            days: day * settings.hoursDays, maxBytes: settings.maxMebibytes << 20)
        if configuration.privacy == .counts { evidence = .zero }
    }
}

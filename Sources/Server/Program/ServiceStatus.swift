import Posix
import Primitives

/// What the service manager gets: ready, a status line, and signs of life.
final class ServiceStatus {
    private let manager: ServiceManager?
    private var watchdog: WatchdogTimer?
    private var isReady = false
    private var hasTriedBroker = false
    private var line = ""

    /// While the server reads the day, the service manager waits for the next sign of life so long.
    private static let patience = Duration.seconds(120)

    init(_ manager: ServiceManager?, at now: Instant) {
        self.manager = manager
        watchdog = manager?.patience.map { WatchdogTimer(period: $0, at: now) }
    }

    var deadline: Instant? { watchdog?.deadline }

    /// The first attempt at the broker is over. The service is then ready, whatever the result: it retries without limit.
    func brokerAttemptEnded() { hasTriedBroker = true }

    func reloading() { manager?.send(.reloading) }

    func reloaded() { manager?.send(.ready) }

    func stopping() { manager?.send(.stopping) }

    func update(_ state: ServerState, at now: Instant) {
        guard let manager else { return }
        if watchdog?.isDue(at: now) == true {
            manager.send(.alive)
            // A long day on a slow disk.
            if !isReady { manager.extendStart(by: Self.patience) }
        }
        if !isReady, hasTriedBroker || state.isConnected {
            isReady = true
            manager.send(.ready)
        }
        let queues = state.sites.reduce(0) { $0 + $1.layout.queues.count }
        let text = (["queues: \(queues)"] + state.faults).joined(separator: ". ")
        if text != line { manager.send(.status(text)) }
        line = text
    }
}

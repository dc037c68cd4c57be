import Posix
import Primitives

/// What the service manager, if there is one, is told.
extension Uplink {
    func tellServiceManager(at now: Instant) {
        guard let manager = settings.manager, !isStopping else { return }
        let attempts = ServiceReport.Attempts(radio: radio.isSettled, broker: hasTriedBroker)
        manager.tell(serviceReport.news(statusLine, over: attempts, at: now))
    }

    /// Batches that are always on their way to a broker that answers.
    private static let usualDepth = 10

    private var statusLine: StatusLine {
        let isConnected = connection?.isConnected == true
        return StatusLine(
            radio: radio.isHearing ? .hearing : radio.isSettled ? .deaf(radioTrouble) : .opening,
            broker: isConnected
                ? .connected(broker.connection.address)
                : .waiting(
                    for: settings.broker.connection.address, of: 1 + settings.alternatives.count),
            waiting: isConnected && outbox.depth <= Self.usualDepth ? 0 : outbox.depth,
            isDurable: outbox.isDurable)
    }
}

import Contract
import Logging
import Posix
import Primitives
import Prometheus
import Sightings

/// Reports the gateway's health: as a message at intervals, to the metrics file, and to the service manager.
package struct HealthReporter {
    package struct Settings: Sendable {
        /// The time between two messages.
        package var interval = Duration.seconds(30)
        /// The metrics file for Prometheus; `nil` for none.
        package var metricsPath: String?
        /// Whether there is a service manager to notify.
        package var notifies = false
        /// Whether the service manager knows that the service is ready, from an earlier uplink.
        package var isReady = false
    }

    private let interval: Duration
    let began: Instant
    private var nextMessage: Instant
    /// A message is due before its time, or fell due without a broker. The next connection publishes it.
    private var isOverdue = false
    private var metricsFile: MetricsFile?
    private let notifies: Bool
    private var service: ServiceReport
    private(set) var radio = RadioHealth()
    /// Why the radio is not open, as a sentence.
    private var radioFailure: String?
    /// Of the radio's process.
    private(set) var usage = ProcessUsage()
    var sightings = SightingTally()
    private(set) var senders = SenderAlarm()
    var losses = LatestLoss(after: 0)
    private var certificates = CertificateReminder()
    /// At the last health message.
    private var lastReports: (count: Int, at: Instant)?

    init(_ settings: Settings, at now: Instant) {
        interval = settings.interval
        notifies = settings.notifies
        began = now
        nextMessage = now + interval
        metricsFile = settings.metricsPath.map { MetricsFile($0) }
        service = ServiceReport(isReady: settings.isReady, at: now)
    }

    // MARK: Events

    /// A change of the radio's state makes a message due.
    mutating func on(_ radio: RadioHealth) {
        let isChanged =
            radio.isHearing != self.radio.isHearing || radio.isDegraded != self.radio.isDegraded
        isOverdue = isOverdue || isChanged
        self.radio = radio
    }

    mutating func on(_ controller: ControllerState) {
        radioFailure = controller.isReady ? nil : controller.failure
    }

    mutating func on(_ batch: Batch, log: Log) {
        sightings.count(batch)
        guard let identities = senders.on(batch.radio) else { return }
        log.warning(
            "one sender advertises many identities: a flood or a faulty beacon; "
                + "filter.uuids, filter.majors or report.maxSightingsPerWindow limits it",
            ["identities": identities])
    }

    mutating func on(_ usage: ProcessUsage) { self.usage = usage }

    // MARK: Health and metrics

    /// When `isMessageDue` or `areMetricsDue` becomes true.
    func deadline(isConnected: Bool) -> Instant {
        let metrics = metricsFile?.deadline(state(isConnected: isConnected))
        return min(nextMessage, metrics ?? nextMessage)
    }

    /// Whether to write a health message and the metrics now. The next one is scheduled.
    ///
    /// - Parameter canPublish: whether there is a broker for the message. Without one, the message stays due.
    mutating func isMessageDue(at now: Instant, canPublish: Bool) -> Bool {
        guard nextMessage <= now || isOverdue && canPublish else { return false }
        if nextMessage <= now { nextMessage = now + interval }
        isOverdue = !canPublish
        return true
    }

    /// Logs once a day that the certificate ends soon, or has ended.
    mutating func remind(of message: Health, at now: Instant, log: Log) {
        guard certificates.isDue(message.expiringCertificate, at: now),
            let certificate = message.expiringCertificate, let end = message.certificateExpiresAt
        else { return }
        log.warning(
            "\(certificate.reason): renew it with 'sightline-provision --renew'",
            ["ends": UTCTime(end).stamp])
    }

    /// The health message was written: the next one reports what follows.
    mutating func beginInterval(at now: Instant) {
        senders.beginInterval()
        lastReports = (radio.counts.reports, now)
    }

    /// Reports a second since the last health message; `nil` before the first.
    func reportsPerSecond(at now: Instant) -> Int? {
        guard let lastReports else { return nil }
        let milliseconds = (now - lastReports.at).milliseconds
        guard milliseconds > 0 else { return nil }
        let reports = max(0, radio.counts.reports - lastReports.count)
        return Int(clamping: (Int64(reports) * 1000 + milliseconds / 2) / milliseconds)
    }

    /// Whether the state of broker or radio in the metrics file is out of date.
    func areMetricsDue(at now: Instant, isConnected: Bool) -> Bool {
        guard let due = metricsFile?.deadline(state(isConnected: isConnected)) else { return false }
        return due <= now
    }

    /// - Parameter metrics: the metrics without the members that this reporter knows.
    mutating func write(_ metrics: Metrics, isConnected: Bool, at now: Instant, log: Log) {
        var metrics = metrics
        metrics.isDegraded = radio.isDegraded
        metrics.isConnected = isConnected
        metrics.sightings = sightings
        metricsFile?.write(metrics, at: now, log: log)
    }

    /// The configuration names another metrics file, or none.
    mutating func useMetricsFile(_ path: String?) {
        metricsFile?.remove()
        metricsFile = path.map { MetricsFile($0) }
    }

    func removeMetricsFile() { metricsFile?.remove() }

    private func state(isConnected: Bool) -> MetricsFile.State {
        MetricsFile.State(
            isConnected: isConnected, isHearing: radio.isHearing, isDegraded: radio.isDegraded)
    }

    // MARK: Service manager

    /// The changes for the service manager.
    mutating func serviceNotifications(
        _ broker: BrokerState, at now: Instant
    ) -> [ServiceManager.Notification] {
        guard notifies else { return [] }
        let attempts = ServiceReport.Attempts(radio: radio.isSettled, broker: broker.hasTried)
        return service.messages(statusLine(broker), after: attempts, at: now)
    }

    /// The configuration is read again, or this is over.
    func reloadNotification(isOver: Bool) -> [ServiceManager.Notification] {
        guard notifies, service.isReady else { return [] }
        return [isOver ? .ready : .reloading]
    }

    /// The state of broker and outbox for the status line.
    struct BrokerState {
        var hasTried: Bool
        /// The connected broker's address.
        var connected: String?
        /// The preferred broker's address.
        var preferred: String
        /// The number of brokers.
        var count: Int
        /// Batches in the outbox.
        var depth: Int
        var isDurable: Bool
    }

    /// A connected broker has up to this many batches to acknowledge at any time.
    private static let usualDepth = 10

    private func statusLine(_ broker: BrokerState) -> StatusLine {
        let isUsual = broker.connected != nil && broker.depth <= Self.usualDepth
        return StatusLine(
            radio: radio.isHearing ? .hearing : radio.isSettled ? .deaf(radioFailure) : .opening,
            broker: broker.connected.map { .connected($0) }
                ?? .waiting(for: broker.preferred, of: broker.count),
            waiting: isUsual ? 0 : broker.depth, isDurable: broker.isDurable)
    }
}

/// When messages were last refused or lost, which their counters do not tell.
struct LatestLoss {
    private var count: UInt64
    /// `nil` before the first loss, and if the clock was not set at the last one.
    private(set) var at: UnixTime?

    /// - Parameter count: the messages that were lost before.
    init(after count: UInt64) { self.count = count }

    /// - Parameters:
    ///   - count: all messages that were refused or lost.
    ///   - wall: the wall clock; `nil` if it is not set.
    mutating func on(_ count: UInt64, wall: @autoclosure () -> UnixTime?) {
        guard count != self.count else { return }
        self.count = count
        at = wall()
    }
}

/// Reminds once a day of a certificate that has ended or ends soon.
package struct CertificateReminder {
    private static let interval = Duration.seconds(86_400)
    /// When the next reminder is due; `nil` before the first.
    private var next: Instant?

    package init() {}

    /// - Returns: whether to remind now.
    package mutating func isDue(
        _ certificate: Health.ExpiringCertificate?, at now: Instant
    ) -> Bool {
        guard certificate != nil else {
            next = nil
            return false
        }
        guard next.map({ $0 <= now }) ?? true else { return false }
        next = now + Self.interval
        return true
    }
}

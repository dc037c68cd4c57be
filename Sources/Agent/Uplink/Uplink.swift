import Beacons
import Contract
import MQTT
import Outbox
import Posix
import Primitives
import Prometheus
import Sightings

/// The way out, on a thread of its own: what the radio thread posts is kept in the outbox and published, again and
/// again where need be, until the broker has acknowledged it.
///
/// It may block in resolving a name; scanning does not notice.
package final class Uplink {
    /// What the status topic says of this session.
    enum Announcement: Equatable {
        case none
        case online(StatusMessage.State, ClockState)
        case offline
    }

    /// With so many batches in the outbox, a patient source has to wait.
    private static let room = 1000
    /// The token of the status message; batches use their own numbers, from zero up.
    static let statusToken = UInt64.max
    /// The token of `config/reported`.
    static let reportToken = UInt64.max - 1
    /// The tokens of what Home Assistant is shown.
    static let trackersToken = UInt64.max - 2
    static let discoveryToken = UInt64.max - 3

    var settings: Settings
    private let mailbox: Mailbox<UplinkMessage>
    let orders: Mailbox<ApplyRequest>
    /// The beacons that must always be heard, when they have changed.
    let references: Mailbox<[BeaconIdentity]>
    let log: Log
    let begun = Uplink.now

    var outbox: Outbox
    var connection: Connection?
    var reconciler: SettingsReconciler?
    /// `config/reported` is on its way: the next one waits for the broker's answer.
    var isReporting = false
    /// What the log says already of documents that are not taken.
    var loggedErrors: [LayerFault] = []
    /// Whether the log says already that the layers can't be saved.
    var hasToldOfDisk = false
    /// What the log says already of messages that the broker does not take.
    var toldRefusals = ToldRefusals()
    /// The topics of the batches on their way: an earlier session's may be another.
    var topicsInFlight: [UInt64: String] = [:]
    var reconnect: Reconnect
    /// By broker: its name is being looked up.
    var lookups: [Int: Lookup] = [:]
    /// When the one that is waited for has taken too long.
    var lookupsEnd: Instant?
    var retry = Uplink.now
    /// On the way from the brokers of before to those of a new configuration.
    var renewal: Renewal?
    /// Between two attempts at batches that the broker would not take now.
    var refusals = Backoff()
    /// When those are handed out again.
    var repeatDue: Instant?
    var connections: UInt64 = 0
    var announcement = Announcement.none
    /// When the status was written that the broker has not answered yet, where the clock was set.
    var announcedAt: Int64?
    /// What the log says already of each broker.
    var lastFailures: [Int: ConnectionFailure] = [:]
    /// Of a broker that nothing is known of.
    let newRivalry: Rivalry
    /// For each broker.
    var rivalries: [Rivalry]
    /// Sessions of rivals that the log has.
    var rivals: Set<String> = []
    /// How often a rival has taken our place.
    var takeovers: UInt64 = 0
    /// The last connection was cut: it may have been a rival.
    var isLossUnexplained = false
    var radio = RadioHealth()
    var sightings = SightingTally()
    /// Who is near, where Home Assistant is to know.
    var nearby: Presence?
    /// Retained topics of Home Assistant's with which the agent has nothing to do any more: to be emptied.
    var abandonedTopics: Set<String> = []
    var areTrackersDue = false
    var isDiscoveryDue = false
    /// The broker has not shown us yet what stands where the discovery document goes.
    var isDiscoveryAwaited = false
    /// Why there is no radio, in a sentence.
    var radioTrouble: String?
    /// Whether the first attempt at a broker is over.
    var hasTriedBroker = false
    var serviceReport = ServiceReport(at: Uplink.now)
    private var healthDue: Instant
    /// It fell due while there was nobody to tell.
    private var isHealthOwed = false
    var metricsFile: MetricsFile?
    var isStopping = false
    /// When a stopping agent gives up; `nil` for never.
    private var stopBy: Instant?
    /// Who writes the messages of the batch's origin: mostly one and the same.
    var writer: (origin: Origin, topic: String, writer: SightingsWriter)?
    var buffer: [UInt8] = []
    /// Batches left on the disk when a stopping agent had nobody to send them to.
    var left = 0

    static var now: Instant { Instant(microseconds: Clocks.boot) }

    package init(
        _ settings: Settings, mailbox: Mailbox<UplinkMessage>, orders: Mailbox<ApplyRequest>,
        references: Mailbox<[BeaconIdentity]>, log: Log
    ) {
        self.settings = settings
        self.mailbox = mailbox
        self.orders = orders
        self.references = references
        reconciler = settings.reconciler
        self.log = log
        var limits = settings.limits
        if settings.isPatient {
            limits.maxBytes = .max
            limits.persistAfter = nil
        }
        let origin = Origin(
            session: settings.session.description, boot: settings.boot,
            place: settings.topics.place)
        outbox = Outbox(limits, origin: origin, disk: settings.disk, seed: Random.word())
        reconnect = Self.reconnect(settings)
        newRivalry = Rivalry(
            session: settings.session.description, began: Clocks.wall / 1000,
            memory: 3 * settings.takeoverPause)
        rivalries = [Rivalry](repeating: newRivalry, count: 1 + settings.alternatives.count)
        healthDue = begun.advanced(byMicroseconds: settings.healthInterval)
        nearby = Self.presence(settings)
        metricsFile = settings.metricsPath.map { MetricsFile($0) }
    }

    static func reconnect(_ settings: Settings) -> Reconnect {
        Reconnect(
            settings.broker.protocolChoice,
            alternatives: settings.alternatives.map(\.protocolChoice), backoff: settings.backoff,
            takeoverPause: settings.takeoverPause)
    }

    /// Runs until a `stop` has come and all is said, or time is up.
    package func run() throws(Errno) {
        outbox.open(at: Self.now)
        writeMetrics(health(at: Self.now), at: Self.now)
        while !isDone {
            connectIfDue()
            let hasRoom = hasRoom
            let mail = hasRoom ? Poll.Interest(mailbox.descriptor) : nil
            let interests = [mail, connection?.interest ?? lookup].compactMap(\.self)
            let ready = try Poll.wait(for: interests, timeout: timeout)
            let now = Self.now
            if hasRoom, ready.first?.isEmpty == false {
                mailbox.take().forEach { receive($0, at: now) }
            }
            serve(connection?.interest == nil ? [] : ready.last ?? [], at: now)
            moveOn(at: now)
            tune(at: now)
            publishBatches(at: now)
            store(at: now)
            tellHomeAssistant()
            tellHealth(at: now)
            tellMetrics(at: now)
            tellServiceManager(at: now)
            sayFarewell(at: now)
        }
        metricsFile?.remove()
        left = max(left, outbox.save(at: Self.now))
        outbox.reportUndeclaredLoss()
        logOutboxEvents()
        if outbox.unsaved > 0 {
            log.error(
                "ended with batches that could neither be delivered nor stored: they are lost",
                ["batches": outbox.unsaved, "broker": broker.connection.address])
        } else if left > 0 {
            log.info("batches are left for the next start", ["batches": left])
        }
    }

    private var isDone: Bool {
        guard isStopping else { return false }
        if let stopBy, Self.now >= stopBy { return true }
        // All that was to be said has been, or there is nothing to say and nobody to say it to.
        return connection?.isConnected != true && outbox.unsaved == 0
    }

    /// The answer that the next connection waits for.
    private var lookup: Poll.Interest? {
        guard connection == nil else { return nil }
        return lookups[reconnect.broker].map { Poll.Interest($0.descriptor) }
    }

    private var hasRoom: Bool { !settings.isPatient || outbox.depth < Self.room }

    private var timeout: Int {
        // A connection that failed while something was published says so when it is served.
        if let connection, connection.interest == nil { return 0 }
        let isConnected = connection?.isConnected == true
        let due = [
            connection == nil ? lookupsEnd ?? retry : nil, healthDue,
            isConnected ? repeatDue : nil, stopBy, isStopping ? nil : reconciler?.deadline,
            outbox.deadline(isConnected: isConnected), metricsDue,
        ].compactMap(\.self)
        guard let earliest = due.min() else { return Connection.serviceInterval }
        let milliseconds = max(0, earliest.microseconds(since: Self.now)) / 1000 + 1
        return Int(min(milliseconds, Int64(Connection.serviceInterval)))
    }
}

// MARK: - Messages

extension Uplink {
    private func receive(_ message: UplinkMessage, at now: Instant) {
        switch message {
        case .batch(let batch, let stamp):
            sightings.count(batch)
            follow(batch)
            outbox.append(batch, stamp: stamp, at: now)
        case .radio(let health): radio = health
        case .standing(let standing):
            radioTrouble = standing.isReady ? nil : standing.trouble
            reconciler?.on(standing, at: now)
        case .answer(let answer, let standing):
            reconciler?.on(standing, at: now)
            carryOut(reconciler?.on(answer, at: now) ?? [], at: now)
        case .reload: reload(at: now)
        case .stop:
            isStopping = true
            renewal = nil
            outbox.cancelClockDelay()
            if !settings.isPatient {
                stopBy = now.advanced(byMicroseconds: settings.farewellTime)
            }
            // There is not the time to wait for a better moment.
            retry = now
        }
    }

    func publish(_ message: Publication, token: UInt64?) {
        do throws(PublishFailure) {
            try connection?.publish(message, token: token)
        } catch {
            // A connection that is gone says so itself, with its reason, when it is served next.
            guard case .refused(let code) = error else { return }
            if let token, token < Self.discoveryToken {
                acknowledged(Entry.ID(rawValue: token), code, at: Self.now)
            } else {
                if token == Self.reportToken { isReporting = false }
                answered(message.topic, code)
            }
        }
    }

    /// What falls due while the broker is away is told when it is back; the file has it all the same.
    private func tellHealth(at now: Instant) {
        guard healthDue <= now || isHealthOwed && canAnnounce else { return }
        if healthDue <= now {
            healthDue = now.advanced(byMicroseconds: settings.healthInterval)
        }
        let health = health(at: now)
        writeMetrics(health, at: now)
        isHealthOwed = !canAnnounce
        guard canAnnounce else { return }
        publish(
            Publication(
                topic: settings.topics.topic(.health), payload: health.encoded,
                quality: .atMostOnce, contentType: "application/json"), token: nil)
    }

    /// Once everything has been acknowledged: offline in so many words, then the connection's end.
    private func sayFarewell(at now: Instant) {
        guard isStopping, outbox.unsaved == 0, outbox.isLiveEmpty, let connection,
            connection.isConnected,
            connection.unacknowledged == 0
        else { return }
        if announcement == .offline { connection.disconnect() } else { announce(.offline) }
    }
}

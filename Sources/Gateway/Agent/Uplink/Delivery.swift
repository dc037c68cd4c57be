import Contract
import Logging
import MQTT
import Outbox
import Posix
import Primitives
import Sightings

/// The delivery of batches: the outbox, the messages made of its batches, and the retries of refused ones.
package struct Delivery {
    /// What to deliver, and how.
    package struct Settings: Sendable {
        package var limits: OutboxLimits
        /// Where the outbox stores batches; `nil` to keep all of them in memory.
        package var disk: (any Disk)?
        /// The boot that instants belong to; empty if unknown.
        package var boot = ""
        /// Whether batches get their wall time when they are published (a radio) or have it already (a capture).
        package var restamps: Bool
        /// Whether the source waits for the broker, as a capture can and a radio can't. The outbox and the shutdown then have
        /// no limits.
        package var isPatient = false
    }

    /// The broker's refusal to let this gateway write its batches. An error in an access list must not cost data.
    private enum Denial: Equatable {
        case none
        /// For the time of earlier connections, and since an instant of this one; `nil` without a connection.
        case held(for: Duration, since: Instant?)
        /// The time to hold batches is over.
        case final
    }

    private(set) var outbox: Outbox
    private let topics: Topics
    private let log: Log
    let isPatient: Bool
    /// The waits after refusals.
    private var backoff = Backoff()
    /// When refused batches are sent again.
    private var retry: Instant?
    private var denial = Denial.none
    /// The writer for the latest batch's origin.
    private var writer: (origin: Origin, topic: String, writer: SightingsWriter)?
    private var buffer: [UInt8] = []
    /// Batches on the disk at the end of the process.
    private(set) var saved = 0

    init(_ settings: Settings, topics: Topics, session: Session, log: Log) {
        var limits = settings.limits
        if settings.isPatient {
            limits.maxBytes = .max
            limits.persistAfter = nil
        }
        let origin = Origin(
            session: session.description, boot: settings.boot, place: topics.place)
        outbox = Outbox(limits, origin: origin, disk: settings.disk, seed: Random.word())
        isPatient = settings.isPatient
        self.topics = topics
        self.log = log
    }

    /// When something is due.
    func deadline(isConnected: Bool) -> Instant? {
        [isConnected ? retry : nil, outbox.deadline(isConnected: isConnected)]
            .compactMap(\.self).min()
    }

    // MARK: Events

    mutating func open(at now: Instant) { outbox.open(at: now) }

    /// Continues the deliveries of an uplink whose process ended.
    mutating func restore(_ account: OutboxAccount) {
        outbox.restore(account)
        for event in outbox.takeEvents() {
            // The file has batches of this session, which the log must not call an earlier one.
            if case .foundBacklog = event { continue }
            Self.log(event, to: log)
        }
    }

    /// - Parameter isDecided: whether the message of the batch may have been sent.
    mutating func append(_ stored: StoredBatch, isDecided: Bool, at now: Instant) {
        if isDecided {
            outbox.append(decided: stored, at: now)
        } else {
            outbox.append(stored.batch, stamp: stored.stamp, at: now)
        }
    }

    mutating func storeAll(at now: Instant) { outbox.storeAll(at: now) }

    mutating func takeDecisions() -> [StoredBatch] { outbox.takeDecisions() }

    /// The configuration changes.
    mutating func use(_ limits: OutboxLimits) {
        var limits = limits
        limits.maxSightings = outbox.limits.maxSightings
        outbox.limits = limits
    }

    mutating func connected(_ abilities: BrokerAbilities, at now: Instant) {
        outbox.window = abilities.receiveMaximum
        if case .held(let time, nil) = denial { denial = .held(for: time, since: now) }
    }

    /// Unacknowledged batches are sent again.
    mutating func connectionLost(at now: Instant) {
        outbox.connectionLost()
        // An outage must not use up the time in which the operator can correct the access list.
        if case .held(let time, let since?) = denial {
            denial = .held(for: time + (now - since), since: nil)
        }
    }

    /// The process ends: batches wait for the clock no longer.
    mutating func stopping() { outbox.cancelClockDelay() }

    /// The next message to publish.
    mutating func next(at now: Instant, clock: Stamp?) -> Outgoing? {
        guard let entry = outbox.next(at: now, clock: clock) else { return nil }
        let (topic, writer) = writer(of: entry.stored.origin)
        writer.write(entry.batch, stamp: entry.stamp, lost: entry.lost, into: &buffer)
        return Outgoing(.batch(entry.id), buffer, to: topic)
    }

    /// Refused batches whose wait is over may be sent again.
    mutating func tick(at now: Instant) {
        if let due = retry, due <= now { retry = nil }
    }

    /// The broker answers a batch.
    mutating func answered(_ id: Entry.ID, _ code: ReasonCode, at now: Instant, random: UInt64) {
        if !code.isFailure {
            if isOwn(id) { denial = .none }
            outbox.acknowledge(id)
            backoff.reset()
        } else if code.mayPass || Self.corrigible.contains(code) && holds(id, at: now) {
            // All refusals before the next attempt count as one.
            let due = retry ?? now + backoff.delay(random: random)
            retry = due
            outbox.retry(id, notBefore: due)
        } else {
            outbox.setAside(id)
        }
    }

    /// The broker ends connections over a batch.
    mutating func suspect(_ id: Entry.ID) { outbox.suspect(id) }

    /// The refusals that the broker's operator can end: by its access list, or by its highest QoS.
    private static let corrigible: Set<ReasonCode> = [.notAuthorised, .qosNotSupported]

    /// Whether a batch that this gateway may not write is sent again.
    private mutating func holds(_ id: Entry.ID, at now: Instant) -> Bool {
        // The operator of a capture waits for its end. A former name's topics stay forbidden.
        guard !isPatient, isOwn(id), outbox.limits.refusedHold > .zero else { return false }
        switch denial {
        case .none:
            denial = .held(for: .zero, since: now)
            return true
        case .held(let earlier, let since):
            let time = earlier + (since.map { now - $0 } ?? .zero)
            if time < outbox.limits.refusedHold { return true }
            denial = .final
            log.error(
                "broker still refuses batches: they are lost until it accepts one",
                ["heldSeconds": time.wholeSeconds])
            return false
        case .final: return false
        }
    }

    /// Whether the batch goes to this gateway's topic, not to the topic of a former name.
    private func isOwn(_ id: Entry.ID) -> Bool { outbox.origin(of: id)?.place == topics.place }

    private mutating func writer(of origin: Origin) -> (topic: String, writer: SightingsWriter) {
        if let writer, writer.origin == origin { return (writer.topic, writer.writer) }
        // Batches of an earlier session keep its name and its topic.
        let topics = Topics(place: origin.place) ?? topics
        let new = SightingsWriter(topics: topics, session: origin.session)
        writer = (origin, topics.topic(.sightings), new)
        return (topics.topic(.sightings), new)
    }

    // MARK: Storage

    /// Lets the outbox do what is due.
    ///
    /// - Parameter maxSightings: the limit for a message; `nil` to keep the limit.
    mutating func store(at now: Instant, clock: Stamp?, maxSightings: Int?) {
        limitMessages(maxSightings)
        outbox.tick(at: now, clock: clock)
        logOutboxEvents()
    }

    /// Saves all batches to the disk.
    mutating func save(at now: Instant, maxSightings: Int?) {
        limitMessages(maxSightings)
        saved = max(saved, outbox.save(at: now))
        logOutboxEvents()
    }

    private mutating func limitMessages(_ maxSightings: Int?) {
        guard let maxSightings, maxSightings > 0, maxSightings != outbox.limits.maxSightings
        else { return }
        outbox.limits.maxSightings = maxSightings
    }

    /// The process ends: saves what is left, and logs it.
    ///
    /// - Parameter broker: the broker's address, for the log.
    mutating func finish(at now: Instant, broker: String) {
        saved = max(saved, outbox.save(at: now))
        outbox.reportUndeclaredLoss()
        logOutboxEvents()
        if outbox.unsaved > 0 {
            log.error(
                "batches lost: neither delivered nor stored before the exit",
                ["batches": outbox.unsaved, "broker": broker])
        } else if saved > 0 {
            log.info("unsent batches are stored for the next start", ["batches": saved])
        }
    }

    /// Logs the events of the outbox.
    private mutating func logOutboxEvents() {
        for event in outbox.takeEvents() { Self.log(event, to: log) }
    }
}

import Beacon
import MQTT
import Messages
import Outbox
import Posix
import Sighting

/// The way out, on a thread of its own: what the radio thread posts is kept in the outbox and published, again and
/// again where need be, until the broker has acknowledged it.
///
/// It may block in resolving a name; scanning does not notice.
package final class Uplink {
    /// What the status topic says of this session.
    private enum Announcement: Equatable {
        case none
        case online(StatusMessage.State, ClockState)
        case offline
    }

    /// With so many batches in the outbox, a patient source has to wait.
    private static let room = 1000
    /// The token of the status message; batches use their own numbers, from zero up.
    private static let statusToken = UInt64.max
    /// The token of `config/reported`.
    static let reportToken = UInt64.max - 1

    let settings: Settings
    private let mailbox: Mailbox<UplinkMessage>
    let orders: Mailbox<TuningOrder>
    let log: Log
    let begun = Uplink.now

    var outbox: Outbox
    var connection: Connection?
    var tuner: Tuner?
    /// `config/reported` is on its way: the next one waits for the broker's answer.
    var isReporting = false
    /// What the log says already of documents that are not taken.
    var loggedErrors: [LayerFault] = []
    /// Whether the log says already that the layers can't be saved.
    var hasToldOfDisk = false
    /// Topics whose messages the broker does not take, as the log says already.
    private var refusedTopics: Set<String> = []
    private var reconnect: Reconnect
    private var retry = Uplink.now
    /// Between two attempts at batches that the broker would not take now.
    var refusals = Backoff()
    /// When those are handed out again.
    var repeatDue: Instant?
    var connections: UInt64 = 0
    private var announcement = Announcement.none
    private var lastFailure: ConnectionFailure?
    var radio = RadioHealth()
    private var healthDue: Instant
    var isStopping = false
    /// When a stopping agent gives up; `nil` for never.
    private var stopBy: Instant?
    /// Who writes the messages of the batch's origin: mostly one and the same.
    var writer: (origin: Origin, topic: String, writer: SightingsWriter)?
    var buffer: [UInt8] = []
    /// Batches left on the disk when a stopping agent had nobody to send them to.
    var left = 0

    private static var now: Instant { Instant(microseconds: Clocks.boot) }

    package init(
        _ settings: Settings, mailbox: Mailbox<UplinkMessage>, orders: Mailbox<TuningOrder>,
        log: Log
    ) {
        self.settings = settings
        self.mailbox = mailbox
        self.orders = orders
        tuner = settings.tuner
        self.log = log
        var limits = settings.limits
        if settings.isPatient {
            limits.maxBytes = .max
            limits.spillAfter = nil
        }
        let origin = Origin(
            session: settings.session.description, boot: settings.boot,
            place: settings.topics.place)
        outbox = Outbox(limits, origin: origin, disk: settings.disk, seed: Random.word())
        reconnect = Reconnect(settings.protocolChoice, backoff: settings.backoff)
        healthDue = begun.advanced(byMicroseconds: settings.healthInterval)
    }

    /// Runs until a `stop` has come and all is said, or time is up.
    package func run() throws(Errno) {
        outbox.open(at: Self.now)
        while !isDone {
            connectIfDue()
            let hasRoom = hasRoom
            let mail = hasRoom ? Poll.Interest(mailbox.descriptor) : nil
            let interests = [mail, connection?.interest].compactMap(\.self)
            let ready = try Poll.wait(for: interests, timeout: timeout)
            let now = Self.now
            if hasRoom, ready.first?.isEmpty == false {
                mailbox.take().forEach { receive($0, at: now) }
            }
            serve(connection?.interest == nil ? [] : ready.last ?? [], at: now)
            tune(at: now)
            publishBatches(at: now)
            store(at: now)
            publishHealth(at: now)
            sayFarewell(at: now)
        }
        left = max(left, outbox.save(at: Self.now))
        tellNotices()
        if outbox.unsaved > 0 {
            log.warning(
                "ended with batches that the broker has not acknowledged",
                ["batches": outbox.unsaved, "broker": settings.broker.address])
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

    private var hasRoom: Bool { !settings.isPatient || outbox.depth < Self.room }

    private var timeout: Int {
        // A connection that failed while something was published says so when it is served.
        if let connection, connection.interest == nil { return 0 }
        let isConnected = connection?.isConnected == true
        let due = [
            connection == nil ? retry : nil, isConnected ? healthDue : nil,
            isConnected ? repeatDue : nil, stopBy, isStopping ? nil : tuner?.deadline,
            outbox.deadline(isConnected: isConnected),
        ].compactMap(\.self)
        guard let earliest = due.min() else { return Connection.serviceInterval }
        let milliseconds = max(0, earliest.microseconds(since: Self.now)) / 1000 + 1
        return Int(min(milliseconds, Int64(Connection.serviceInterval)))
    }
}

// MARK: - The connection

extension Uplink {
    private func connectIfDue() {
        let now = Self.now
        guard connection == nil, retry <= now, !isStopping || outbox.unsaved > 0 else { return }
        let will = Will(
            topic: settings.topics.topic(.status), payload: status(.offline).encoded)
        do throws(ConnectionFailure) {
            connection = try Connection(
                to: settings.broker, version: reconnect.version, will: will)
        } catch {
            ended(error)
        }
    }

    private func serve(_ ready: Poll.Events, at now: Instant) {
        guard let events = connection?.service(ready) else { return }
        for event in events {
            switch event {
            case .connected(let limits): connected(limits)
            case .acknowledged(Self.statusToken, let code):
                answered(settings.topics.topic(.status), code)
            case .acknowledged(Self.reportToken, let code):
                isReporting = false
                answered(settings.topics.topic(.reported), code)
            case .acknowledged(let token?, let code):
                acknowledged(Entry.ID(rawValue: token), code, at: now)
            case .subscribed(let filter, let code) where code.isFailure:
                log.error(
                    "the broker refused a subscription: this layer can't be set",
                    ["topic": filter, "reason": code])
            case .message(let message): received(message, at: now)
            case .oversized(let topic, let bytes): receivedOversized(topic, bytes: bytes)
            case .ended(let failure):
                connection = nil
                isReporting = false
                outbox.connectionLost()
                ended(failure)
            case .acknowledged, .subscribed: break
            }
        }
        guard canAnnounce else { return }
        if announcement != .online(presence, clock) { announce(presence) }
    }

    private func connected(_ limits: BrokerLimits) {
        connections += 1
        lastFailure = nil
        reconnect.connected(at: Clocks.boot)
        outbox.window = limits.receiveMaximum
        log.info(
            "connected",
            [
                "broker": settings.broker.address,
                "mqtt": limits.version == .v5 ? "5" : "3.1.1",
            ])
        announcement = .none
        subscribeToLayers()
    }

    /// Whether there is a broker, and nothing has been said after which nothing is said.
    var canAnnounce: Bool { connection?.isConnected == true && announcement != .offline }

    /// Of a topic whose messages are said again and again, a refusal is logged once, until the broker takes one.
    private func answered(_ topic: String, _ code: ReasonCode) {
        guard code.isFailure else {
            refusedTopics.remove(topic)
            return
        }
        guard refusedTopics.insert(topic).inserted else { return }
        log.error("the broker refuses messages", ["topic": topic, "reason": code])
    }

    /// Says that the agent is online, at each connection and when the radio's or the clock's state changes; or that it
    /// leaves.
    private func announce(_ state: StatusMessage.State) {
        announcement = state == .offline ? .offline : .online(state, clock)
        publish(
            Publication(
                topic: settings.topics.topic(.status), payload: status(state).encoded,
                isRetained: true, contentType: "application/json"),
            token: Self.statusToken)
    }

    private func ended(_ failure: ConnectionFailure) {
        let wait = reconnect.ended(failure.cause, at: Clocks.boot, random: Random.word())
        retry = Self.now.advanced(byMicroseconds: wait)
        guard failure.cause != .requested, failure != lastFailure else { return }
        lastFailure = failure
        log.warning(failure.description, ["waiting": outbox.depth])
    }
}

// MARK: - Messages

extension Uplink {
    private func receive(_ message: UplinkMessage, at now: Instant) {
        switch message {
        case .batch(let batch, let stamp): outbox.append(batch, stamp: stamp, at: now)
        case .radio(let health): radio = health
        case .standing(let standing): tuner?.on(standing, at: now)
        case .answer(let answer, let standing):
            tuner?.on(standing, at: now)
            carryOut(tuner?.on(answer, at: now) ?? [], at: now)
        case .stop:
            isStopping = true
            outbox.letGo()
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
            if let token, token < Self.reportToken {
                setAside(Entry.ID(rawValue: token), code)
            } else {
                if token == Self.reportToken { isReporting = false }
                answered(message.topic, code)
            }
        }
    }

    private func publishHealth(at now: Instant) {
        // What falls due while the broker is away is told when it is back.
        guard healthDue <= now, canAnnounce else { return }
        healthDue = now.advanced(byMicroseconds: settings.healthInterval)
        publish(
            Publication(
                topic: settings.topics.topic(.health), payload: health(at: now).encoded,
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

import Contract
import JSON
import MQTT
import Primitives

/// Detects another agent with this gateway's name at one broker, from the messages on the gateway's own status topic.
///
/// A broker disconnects a client when another client connects with the same identifier; MQTT 3.1.1 gives no reason. The
/// other agent then writes its session to the status topic. A session from before the broker first acknowledged our status
/// is an earlier run of this gateway.
struct DuplicateClientDetector {
    private let session: String
    /// When the session began.
    private let began: UnixTime
    /// A longer connection was not ended by a client that was seen at its beginning.
    fileprivate let memory: Duration
    /// Other sessions, and the time in the latest status of each.
    private var sessions: [String: UnixTime] = [:]
    /// The broker has acknowledged our status.
    private var isKnown = false
    /// It had done so before this connection.
    private var wasKnown = false
    /// The time in the first acknowledged status; `nil` if the clock was not synchronised.
    private var knownSince: UnixTime?
    /// The time of the first connection; `nil` if the clock was not synchronised.
    private var firstConnected: UnixTime?
    private var connectedAt: Instant?
    /// The end of the latest connection; `nil` if the clock was not synchronised.
    private var lostAt: UnixTime?
    /// Sessions that were online beside this connection: they have other client identifiers.
    private var parallel: Set<String> = []
    private var isContested = false

    /// The number of other sessions in memory.
    var rememberedSessions: Int { sessions.count }

    private static let maxSessions = 16
    /// The largest difference between two synchronised clocks, with a wide margin.
    private static let clockTolerance = Duration.seconds(60)
    /// The same for clocks that are set, and the time that a connection takes. A will is not newer than the takeover.
    private static let takeoverTolerance = Duration.seconds(5)

    init(session: String, began: UnixTime, memory: Duration) {
        self.session = session
        self.began = began
        self.memory = memory
    }

    /// The broker accepts a connection; `time` is `nil` if the clock is not synchronised.
    mutating func connected(at now: Instant, time: UnixTime?) {
        if connectedAt == nil { firstConnected = time }
        connectedAt = now
        wasKnown = isKnown
        isContested = false
        parallel = []
    }

    /// The broker acknowledges our status with this time; `nil` if the clock was not synchronised.
    mutating func acknowledged(at time: UnixTime?) {
        if !isKnown { knownSince = time }
        isKnown = true
    }

    /// A message arrives on our status topic.
    ///
    /// - Returns: whether another agent with our name wrote it.
    mutating func on(_ status: StatusMessage, isRetained: Bool) -> Bool {
        guard status.session != session else { return false }
        // A retained message can arrive late, but it existed before our subscription.
        let isEarlierRun = (isRetained ? !wasKnown : !isKnown) && !isAfterFirstConnection(status)
        // The will of an earlier run can arrive late; its time is the beginning of its connection.
        let isNew = sessions[status.session].map { status.at > $0 } ?? true
        // The network can delay the last message of an earlier run that was killed. A duplicate client writes again.
        let isDelayed =
            sessions[status.session] == nil && status.state == .offline && status.at < began
        remember(status)
        guard !isEarlierRun, isNew, !isDelayed, !isOutdated(status) else { return false }
        // An agent that is online beside us does not disconnect us, whatever ends its own connection.
        if !isRetained, status.state != .offline {
            if parallel.count < Self.maxSessions { parallel.insert(status.session) }
        } else if !parallel.contains(status.session) {
            isContested = !isFarewell(status)
        }
        return true
    }

    /// Whether the other agent wrote `offline` itself after it took over our connection, and so is gone. Its will would be
    /// older: an agent writes the will before it connects.
    private func isFarewell(_ status: StatusMessage) -> Bool {
        guard status.state == .offline, status.clock == .synced, let lostAt else { return false }
        return status.at > lostAt + Self.takeoverTolerance
    }

    /// A status that is newer than our first connection is no earlier run, even if our own was never acknowledged.
    private func isAfterFirstConnection(_ status: StatusMessage) -> Bool {
        guard status.clock == .synced, let firstConnected else { return false }
        return status.at > firstConnected
    }

    /// A broker that lost its state can deliver an old retained message.
    private func isOutdated(_ status: StatusMessage) -> Bool {
        guard status.clock == .synced, let knownSince else { return false }
        return status.at < knownSince - Self.clockTolerance
    }

    private mutating func remember(_ status: StatusMessage) {
        if sessions[status.session] == nil, sessions.count >= Self.maxSessions,
            let oldest = sessions.min(by: { $0.value < $1.value })
        {
            sessions[oldest.key] = nil
        }
        sessions[status.session] = max(status.at, sessions[status.session] ?? .min)
    }

    /// The connection is lost.
    ///
    /// - Parameter time: `nil` if the clock is not synchronised.
    /// - Returns: whether the other agent's connection is the cause.
    mutating func connectionLost(at now: Instant, time: UnixTime? = nil) -> Bool {
        defer {
            isContested = false
            if connectedAt != nil { lostAt = time }
        }
        guard isContested, let connectedAt else { return false }
        return now - connectedAt < memory
    }
}

/// Finds other agents with this gateway's name at any of the brokers, and counts the connections that they take over.
struct DuplicateClientMonitor {
    /// What to log.
    enum Notice: Equatable {
        /// Another agent uses this gateway's name; its session, if known.
        case duplicate(session: String?)
        /// The session of an agent that was logged before without one.
        case sessionKnown(String)
    }

    /// For a broker without any history.
    private let newDetector: DuplicateClientDetector
    private var detectors: [DuplicateClientDetector]
    /// The sessions in the log; `nil` for an agent whose session was not known.
    private var logged: Set<String?> = []
    var takeovers: UInt64 = 0
    /// The last connection was lost without a reason: another agent may have taken it over.
    private var isLossUnexplained = false
    /// When another agent last wrote with our name, or took over a connection.
    private var rivalSeen: Instant?

    /// The largest number of sessions in the log.
    private static let maxLogged = 16

    init(_ detector: DuplicateClientDetector, brokers: Int) {
        newDetector = detector
        detectors = [DuplicateClientDetector](repeating: detector, count: brokers)
    }

    mutating func connected(to broker: Int, at now: Instant, time: UnixTime?) {
        detectors[broker].connected(at: now, time: time)
    }

    /// The broker acknowledges a status with this time.
    mutating func statusAcknowledged(by broker: Int, at time: UnixTime?) {
        detectors[broker].acknowledged(at: time)
    }

    /// Whether another agent may have ended a connection that is lost without a reason. If so, no packet is to blame.
    func mayExplainLoss(at now: Instant) -> Bool {
        rivalSeen.map { now - $0 < newDetector.memory } ?? false
    }

    /// A message arrives on our status topic.
    mutating func received(_ message: Message, from broker: Int, at now: Instant) -> Notice? {
        // Any client may write to the topic: the payload can be anything.
        guard let status = try? StatusMessage(decoding: message.payload),
            detectors[broker].on(status, isRetained: message.isRetained)
        else { return nil }
        rivalSeen = now
        if isLossUnexplained { takeovers += 1 }
        isLossUnexplained = false
        return notice(status.session)
    }

    /// A connection to the broker ends, or an attempt fails.
    ///
    /// - Parameters:
    ///   - clientID: our identifier at that broker.
    ///   - time: `nil` if the clock is not synchronised.
    /// - Returns: the cause, with a takeover in place of an unexplained loss.
    mutating func connectionEnded(
        _ cause: ConnectionFailure.Cause, clientID: String, broker: Int, at now: Instant,
        time: UnixTime? = nil
    ) -> (cause: ConnectionFailure.Cause, notice: Notice?) {
        let wasTakenOver = detectors[broker].connectionLost(at: now, time: time)
        switch cause {
        case .lost where wasTakenOver:
            takeovers += 1
            isLossUnexplained = false
            rivalSeen = now
            return (.takenOver(clientID: clientID), nil)
        case .lost: isLossUnexplained = true
        case .takenOver:
            takeovers += 1
            isLossUnexplained = false
            rivalSeen = now
            if logged.isEmpty { return (cause, notice(nil)) }
        default: break
        }
        return (cause, nil)
    }

    /// The brokers change.
    ///
    /// - Parameter previous: for each new broker, its index among the brokers before; `nil` if it was not one of them.
    mutating func brokersChanged(previous: [Int?]) {
        detectors = previous.map { $0.map { detectors[$0] } ?? newDetector }
        isLossUnexplained = false
    }

    private mutating func notice(_ session: String?) -> Notice? {
        let isSessionMissing = logged == [nil]
        guard logged.count < Self.maxLogged, logged.insert(session).inserted else { return nil }
        if isSessionMissing, let session { return .sessionKnown(session) }
        return .duplicate(session: session)
    }
}

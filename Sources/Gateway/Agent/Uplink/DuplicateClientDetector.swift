import Contract
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
    private let memory: Duration
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

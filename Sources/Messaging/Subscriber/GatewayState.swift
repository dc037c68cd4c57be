import Contract
import Primitives
import Sightings

/// The state of one gateway by its messages.
package struct GatewayState {
    /// The retained status; `nil` before the first.
    package private(set) var status: StatusMessage.State?
    /// The current session. Messages of other sessions are a backlog.
    package private(set) var session: String?
    package private(set) var clock: ClockState?
    package private(set) var radio: RadioState = .hearing
    /// The start of the deafness.
    package private(set) var deafSince: Instant?
    /// In the latest window.
    package private(set) var reportsPerSecond = 0.0
    package private(set) var beaconsPerSecond = 0.0
    /// The arrival of the latest message.
    package private(set) var lastMessage: Instant?
    /// From the end of the latest window to the arrival of its message, by this machine's wall clock; `nil` if the
    /// gateway's clock is not synchronised.
    package private(set) var delay: Duration?
    private var latestHealth: Health?
    /// The start and the number of the latest window of the session.
    private var newestWindow = UnixTime.min
    private var newestNumber: UInt64?
    private var losses = GatewayLosses()

    /// A longer delay between the end of a window and its message is a problem.
    package static let longestDelay = Duration.seconds(5)
    /// A loss is a problem for this time.
    package static let lossShown = Duration.seconds(300)

    package init() {}

    /// Messages that the gateway has declared as lost.
    package var lost: UInt64 { losses.lost }
    /// The gateway's reason for the last loss.
    package var lostReason: String? { losses.reason }
    /// Messages that did not arrive, without a declared loss.
    package var missed: UInt64 { losses.missed }
    /// Packets that the gateway's kernel has dropped, in all windows.
    package var dropped: Int { losses.dropped }
    /// The arrival of the latest message that declared or showed a loss.
    package var lastLoss: Instant? { losses.latest }

    /// A will of an older session changes nothing.
    package mutating func on(_ message: StatusMessage) -> [GatewayChange] {
        switch message.state {
        case .offline:
            guard session == nil || session == message.session, status != .offline else {
                return []
            }
            session = message.session
            status = .offline
            return [.offline]
        case .online, .degraded:
            let isNewSession = session != message.session
            let before = isNewSession ? nil : status
            status = message.state
            if isNewSession { begin(message.session) }
            var changes: [GatewayChange] = []
            if before != message.state {
                let isRecovered = before == .degraded
                changes.append(
                    message.state == .degraded
                        ? .degraded : isRecovered ? .recovered : .online(version: message.version))
            }
            note(message.clock, isNewSession: isNewSession, &changes)
            return changes
        }
    }

    /// Messages of other sessions do not count.
    package mutating func on(_ message: Health) { latestHealth = message }

    /// The latest health of the session.
    package var health: Health? {
        latestHealth.flatMap { session == nil || $0.session == session ? $0 : nil }
    }

    /// What the messages say of the gateway. Silence and configuration are the reader's affair.
    package func evidence(at now: Instant) -> GatewayEvidence {
        var evidence = GatewayEvidence()
        evidence.status = status
        evidence.hasWindows = newestNumber != nil
        evidence.clock = clock
        if evidence.hasWindows {
            evidence.isHearing = radio == .hearing
        } else if status == .degraded {
            evidence.isHearing = health?.radio.isHearing
        }
        if health?.backlog != nil { evidence.others.insert(.backlog) }
        if health?.expiringCertificate != nil { evidence.others.insert(.expiring) }
        if let delay, delay > Self.longestDelay { evidence.others.insert(.behind) }
        if let lastLoss, now - lastLoss < Self.lossShown { evidence.others.insert(.losing) }
        return evidence
    }

    /// - Parameter wall: this machine's wall clock.
    /// - Returns: the changes, and whether the sightings are of now. Those of a backlog are not.
    package mutating func on(
        _ message: SightingsMessage, at now: Instant, wall: UnixTime
    ) -> (changes: [GatewayChange], isCurrent: Bool) {
        var changes: [GatewayChange] = []
        // While a session is online, messages of other sessions are a backlog.
        let isOfNow = session == nil || session == message.session || !isOnline
        if isOfNow, session != message.session {
            if session != nil { changes.append(.newSession) }
            begin(message.session)
            // The will was of the session before.
            if status == .offline { status = nil }
        }
        let outcome = losses.on(message, at: now, &changes)
        // A clock that was set back makes a later window start earlier.
        let isNewest = newestNumber.map { message.seq > $0 } ?? true
        guard isOfNow, outcome == .new, isNewest || message.windowStart >= newestWindow else {
            return (changes, false)
        }
        newestWindow = message.windowStart
        newestNumber = max(newestNumber ?? 0, message.seq)
        lastMessage = now
        delay =
            message.clock == .synced
            ? wall - message.windowEnd : nil
        note(message.clock, isNewSession: false, &changes)
        take(message, at: now, &changes)
        return (changes, true)
    }

    /// Notes a lost connection to the broker: the next gap is not the gateway's loss.
    package mutating func interrupt() { losses.interrupt() }

    private var isOnline: Bool { status == .online || status == .degraded }

    private mutating func begin(_ session: String) {
        self.session = session
        newestWindow = .min
        newestNumber = nil
        deafSince = nil
        radio = .hearing
    }

    private mutating func note(
        _ new: ClockState, isNewSession: Bool, _ changes: inout [GatewayChange]
    ) {
        if let clock, clock != new, !isNewSession { changes.append(.clock(new)) }
        clock = new
    }

    /// Only the first part of a window has its counters.
    private mutating func take(
        _ message: SightingsMessage, at now: Instant, _ changes: inout [GatewayChange]
    ) {
        guard let counts = message.radio else { return }
        let seconds = message.windowSeconds
        reportsPerSecond = Double(counts.reports) / seconds
        beaconsPerSecond = Double(counts.beacons) / seconds
        guard radio != message.state else { return }
        radio = message.state
        switch message.state {
        case .deaf:
            deafSince = now
            changes.append(.deaf)
        case .hearing:
            deafSince = nil
            changes.append(.hearing)
        }
    }
}

extension SightingsMessage {
    /// The width of the window; at least one millisecond.
    package var windowWidth: Duration { max(.milliseconds(1), windowEnd - windowStart) }

    package var windowSeconds: Double { windowWidth / .seconds(1) }
}

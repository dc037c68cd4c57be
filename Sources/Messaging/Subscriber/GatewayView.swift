import Contract
import Primitives
import Sightings

/// What is known of one gateway from its messages.
package struct GatewayView {
    /// What the retained status says; `nil` before there was one.
    package private(set) var status: StatusMessage.State?
    /// The session whose messages count as now.
    package private(set) var session: String?
    package private(set) var clock: ClockState?
    package private(set) var radio: RadioState = .hearing
    /// When the radio ceased to hear.
    package private(set) var deafSince: Instant?
    /// Per second, in the latest window.
    package private(set) var reportsPerSecond = 0.0
    package private(set) var beaconsPerSecond = 0.0
    /// When the latest message came.
    package private(set) var lastMessage: Instant?
    /// How long after its window's end the latest message came, by the watcher's wall clock, in milliseconds; `nil`
    /// where the gateway's own clock is not to be trusted.
    package private(set) var delayMs: Int64?
    /// Packets that the gateway's kernel threw away, in all windows that were seen.
    package private(set) var dropped = 0
    private var newestWindow = Int64.min
    /// By session, the newest last: a backlog may bring an old session's messages.
    private var gaps: [(session: String, gaps: SessionGaps)] = []

    private static let mostSessions = 4

    package init() {}

    /// Messages given up, as told, in the sessions that are remembered.
    package var lost: UInt64 {
        gaps.reduce(0) { $0.addingReportingOverflow($1.gaps.lost).partialValue }
    }
    /// The gateway's own word for the last loss.
    package var lostReason: String? { gaps.last { $0.gaps.reason != nil }?.gaps.reason }
    /// Messages that did not come, without a word.
    package var missed: UInt64 {
        gaps.reduce(0) { $0.addingReportingOverflow($1.gaps.missed).partialValue }
    }

    /// Takes a status; the will of an older session masks nothing.
    package mutating func on(_ message: StatusMessage) -> [WatchNotice.Kind] {
        switch message.state {
        case .offline:
            guard session == nil || session == message.session, status != .offline else {
                return []
            }
            session = message.session
            status = .offline
            return [.offline]
        case .online, .degraded:
            guard session != message.session || status != message.state else { return [] }
            let isNewSession = session != message.session
            let wasOnline = !isNewSession && isOnline
            status = message.state
            if isNewSession { begin(message.session) }
            clock = message.clock
            if message.state == .degraded { return [.degraded] }
            return [wasOnline ? .recovered : .online(version: message.version)]
        }
    }

    /// Takes a batch.
    ///
    /// - Parameter wallMs: the watcher's wall clock.
    /// - Returns: what there is to tell, and whether the batch's sightings are of now: a backlog's are not.
    package mutating func on(
        _ message: SightingsMessage, at now: Instant, wallMs: Int64
    ) -> (notices: [WatchNotice.Kind], isCurrent: Bool) {
        var notices: [WatchNotice.Kind] = []
        // Messages of another session than the one that is online are a backlog's.
        let isOfNow = session == nil || session == message.session || !isOnline
        if isOfNow, session != message.session {
            if session != nil { notices.append(.newSession) }
            begin(message.session)
            // Its will may have been for the session before.
            if status == .offline { status = nil }
        }
        let outcome = count(message, &notices)
        if outcome != .repeated, let radio = message.radio {
            dropped = dropped.addingReportingOverflow(radio.dropped).partialValue
            if radio.dropped > 0 { notices.append(.dropped(radio.dropped)) }
        }
        guard isOfNow, outcome == .new, message.windowStart >= newestWindow else {
            return (notices, false)
        }
        newestWindow = message.windowStart
        lastMessage = now
        let delay = wallMs.subtractingReportingOverflow(message.windowEnd)
        delayMs = message.clock == .synced && !delay.overflow ? delay.partialValue : nil
        if clock != message.clock {
            if clock != nil { notices.append(.clock(message.clock)) }
            clock = message.clock
        }
        take(message, at: now, &notices)
        return (notices, true)
    }

    /// The watcher's own connection was cut: what it misses now is not the gateway's loss.
    package mutating func interrupt() {
        for index in gaps.indices { gaps[index].gaps.interrupt() }
    }

    private var isOnline: Bool { status == .online || status == .degraded }

    private mutating func begin(_ session: String) {
        self.session = session
        newestWindow = .min
        deafSince = nil
        radio = .hearing
    }

    private mutating func count(
        _ message: SightingsMessage, _ notices: inout [WatchNotice.Kind]
    ) -> SessionGaps.Outcome {
        if !gaps.contains(where: { $0.session == message.session }) {
            gaps.append((message.session, SessionGaps()))
            if gaps.count > Self.mostSessions { gaps.removeFirst() }
        }
        guard let index = gaps.firstIndex(where: { $0.session == message.session }) else {
            return .repeated
        }
        let before = gaps[index].gaps
        let outcome = gaps[index].gaps.on(
            message.seqs ?? message.seq...message.seq, lost: message.lost)
        let after = gaps[index].gaps
        if after.lost > before.lost {
            notices.append(.lost(after.lost - before.lost, reason: after.reason ?? ""))
        }
        if after.missed > before.missed { notices.append(.missed(after.missed - before.missed)) }
        return outcome
    }

    /// The window's counters are in its first part only.
    private mutating func take(
        _ message: SightingsMessage, at now: Instant, _ notices: inout [WatchNotice.Kind]
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
            notices.append(.deaf)
        case .hearing:
            deafSince = nil
            notices.append(.hearing)
        }
    }
}

extension SightingsMessage {
    /// The window's width; a millisecond at least, whatever a message claims.
    package var windowMs: Int64 {
        let (width, overflow) = windowEnd.subtractingReportingOverflow(windowStart)
        return overflow ? .max : max(1, width)
    }

    package var windowSeconds: Double { Double(windowMs) / 1000 }
}

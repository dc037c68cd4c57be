import Contract
import Primitives
import Sightings

/// The messages of one gateway that were lost or are missing, by its sessions.
struct GatewayLosses {
    /// By session, the newest last: a backlog has messages of old sessions.
    private var sessions: [(name: String, gaps: SessionGaps)] = []
    /// Packets that the gateway's kernel has dropped, in all windows.
    private(set) var dropped = 0
    /// The arrival of the latest message that declared a loss.
    private var latestDeclared: Instant?
    /// The arrival of the latest message that showed a gap, and the messages that were missed before the gaps that are open.
    private var gap: (at: Instant, before: UInt64)?

    private static let mostSessions = 4

    /// Messages that the gateway has declared as lost.
    var lost: UInt64 {
        sessions.reduce(0) { $0.addingReportingOverflow($1.gaps.lost).partialValue }
    }
    /// The gateway's reason for the last loss.
    var reason: String? { sessions.last { $0.gaps.reason != nil }?.gaps.reason }
    /// Messages that did not arrive, without a declared loss.
    var missed: UInt64 {
        sessions.reduce(0) { $0.addingReportingOverflow($1.gaps.missed).partialValue }
    }

    /// The arrival of the latest message that declared or showed a loss. A gap that a backlog has filled is none.
    var latest: Instant? {
        [latestDeclared, gap.flatMap { missed > $0.before ? $0.at : nil }].compactMap(\.self).max()
    }

    /// Notes a lost connection to the broker: the next gap is not the gateway's loss.
    mutating func interrupt() {
        for index in sessions.indices { sessions[index].gaps.interrupt() }
    }

    /// Counts a message.
    mutating func on(
        _ message: SightingsMessage, at now: Instant, _ changes: inout [GatewayChange]
    ) -> SessionGaps.Outcome {
        let before = missed
        let outcome = count(message, &changes)
        if missed > before {
            let open = gap.flatMap { before > $0.before ? $0.before : nil }
            gap = (now, open ?? before)
        }
        if outcome != .repeated, let radio = message.radio {
            dropped = dropped.addingReportingOverflow(radio.dropped).partialValue
            if radio.dropped > 0 { changes.append(.dropped(radio.dropped)) }
        }
        if changes.contains(where: \.isDeclaredLoss) { latestDeclared = now }
        return outcome
    }

    private mutating func count(
        _ message: SightingsMessage, _ changes: inout [GatewayChange]
    ) -> SessionGaps.Outcome {
        if !sessions.contains(where: { $0.name == message.session }) {
            sessions.append((message.session, SessionGaps()))
            if sessions.count > Self.mostSessions { sessions.removeFirst() }
        }
        guard let index = sessions.firstIndex(where: { $0.name == message.session }) else {
            return .repeated
        }
        let before = sessions[index].gaps
        let outcome = sessions[index].gaps.on(
            message.seqs ?? message.seq...message.seq, lost: message.lost)
        let after = sessions[index].gaps
        if after.lost > before.lost {
            changes.append(.lost(after.lost - before.lost, reason: after.reason ?? ""))
        }
        if after.missed > before.missed { changes.append(.missed(after.missed - before.missed)) }
        return outcome
    }
}

extension Health {
    /// Messages that have waited for the broker's acknowledgement for longer than usual.
    package struct Backlog {
        package let messages: Int
        package let age: Duration
        /// Whether the oldest of them survive the agent.
        let isStored: Bool

        /// `1,203 messages, the oldest 4 min 10 s`.
        package var reason: String {
            "\(count(messages, "message")), the oldest \(age.text)"
                + (isStored ? "" : ", none on its disk")
        }
    }

    /// A message that waits for a shorter time is not yet a backlog.
    package static let usualWait = Duration.seconds(10)

    /// The messages that wait, if that is a backlog.
    package var backlog: Backlog? {
        guard let age = outbox.oldestAge, age >= Self.usualWait else { return nil }
        return Backlog(messages: outbox.batches, age: age, isStored: outbox.stored > 0)
    }
}

import Contract
import Primitives

/// Whether another agent goes by our name at a broker: what our own status topic gives away there.
///
/// Who comes in with our client identifier throws us out, and not every broker says why. But then its sessions stand
/// in the topic that should be ours alone. What stood there before we were first taken for ourselves is our past: an earlier run.
struct Rivalry {
    private let session: String
    /// When the session began by the wall clock, in milliseconds.
    private let began: Int64
    /// A connection that has stood so long, in microseconds, was not thrown out by a rival that had been there before.
    private let memory: Int64
    /// Foreign sessions, and when each wrote last by its own clock, in milliseconds.
    private var words: [String: Int64] = [:]
    /// The broker has taken our status.
    private var isKnown = false
    /// It had done so before this connection began.
    private var wasKnown = false
    /// When that first status was written, in milliseconds; `nil` where our clock was not to be trusted.
    private var knownSince: Int64?
    /// When the broker let us in first, in milliseconds; `nil` where our clock was not to be trusted.
    private var arrived: Int64?
    private var begun: Instant?
    private var isContested = false

    /// Foreign sessions of which something is known.
    var rememberedSessions: Int { words.count }

    private static let mostSessions = 16
    /// What clocks that are set may differ by, in milliseconds, and more.
    private static let clocksDiffer: Int64 = 60_000

    init(session: String, began: Int64, memory: Int64) {
        self.session = session
        self.began = began
        self.memory = memory
    }

    /// The broker has let us in; `time` is the wall clock's, in milliseconds, `nil` where it is not set.
    mutating func connected(at now: Instant, time: Int64?) {
        if begun == nil { arrived = time }
        begun = now
        wasKnown = isKnown
        isContested = false
    }

    /// The broker has taken the status that we wrote at `time`, in milliseconds; `nil` where the clock is not set.
    mutating func acknowledged(at time: Int64?) {
        if !isKnown { knownSince = time }
        isKnown = true
    }

    /// A message on our status topic.
    ///
    /// - Returns: whether it is the word of a rival.
    mutating func on(_ status: StatusMessage, isRetained: Bool) -> Bool {
        guard status.session != session else { return false }
        // A retained message may be delivered late, but it was there before we asked for it.
        let isPast = (isRetained ? !wasKnown : !isKnown) && !isLater(status)
        // An earlier run's will may come late as well; it is as old as the connection that it is of.
        let isNews = words[status.session].map { status.at > $0 } ?? true
        // The network may hold back what an earlier run sent before it was killed, and bring it now. A rival comes again.
        let isGhost =
            words[status.session] == nil && status.state == .offline && status.at < began
        remember(status)
        guard !isPast, isNews, !isGhost, !isHistory(status) else { return false }
        // Who is heard to say that it is online, and so beside us, has another client identifier.
        if isRetained || status.state == .offline { isContested = true }
        return true
    }

    /// Who writes after we have come is no past, even while we were thrown out before anything was acknowledged.
    private func isLater(_ status: StatusMessage) -> Bool {
        guard status.clock == .synced, let arrived else { return false }
        return status.at > arrived
    }

    /// A broker that lost its memory may hand out what it remembers of long ago.
    private func isHistory(_ status: StatusMessage) -> Bool {
        guard status.clock == .synced, let knownSince else { return false }
        return status.at < knownSince - Self.clocksDiffer
    }

    private mutating func remember(_ status: StatusMessage) {
        if words[status.session] == nil, words.count >= Self.mostSessions,
            let oldest = words.min(by: { $0.value < $1.value })
        {
            words[oldest.key] = nil
        }
        words[status.session] = max(status.at, words[status.session] ?? .min)
    }

    /// The connection was cut.
    ///
    /// - Returns: whether it must have been a rival that came in.
    mutating func lost(at now: Instant) -> Bool {
        defer { isContested = false }
        guard isContested, let begun else { return false }
        return now.microseconds(since: begun) < memory
    }
}

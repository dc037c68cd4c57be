import Primitives

/// How long a table keeps its rows. The configuration gives the times.
package enum RetentionRule: Sendable {
    case always
    /// What a result can be traced to. With the privacy `counts` it goes when its day is closed.
    case evidence
    /// Until the evidence of a gateway's session is gone.
    case sessions
    /// A day longer than the evidence.
    case levels
    case minutes, hours, days
    /// What a network of beacons has learnt.
    case inventory
}

/// How long the store keeps rows, and how large its file may be.
package struct StoreRetention: Equatable, Sendable {
    /// Facts and visits are kept so long, and until their day is closed.
    package var evidence = Duration.seconds(86_400)
    package var minutes: Duration
    package var hours: Duration
    package var days: Duration
    /// The size of the file in bytes. Above it, the oldest minutes are removed first.
    package var maxBytes: Int

    package init(
        minutes: Duration = .seconds(400 * 86_400), hours: Duration = .seconds(1200 * 86_400),
        days: Duration = .seconds(4000 * 86_400), maxBytes: Int = 4 << 30
    ) {
        self.minutes = minutes
        self.hours = hours
        self.days = days
        self.maxBytes = maxBytes
    }

    /// The time from which facts, visits and receipts are kept.
    ///
    /// - Parameter day: the start of the running day.
    package func evidenceStart(at wall: UnixTime, day: UnixTime) -> UnixTime {
        min(wall - evidence, day)
    }

    /// The time before which a row goes; `nil` if none goes by its time alone.
    package func limit(_ rule: RetentionRule, at wall: UnixTime, day: UnixTime) -> UnixTime? {
        switch rule {
        case .always, .sessions: nil
        case .evidence: evidenceStart(at: wall, day: day)
        case .levels: evidenceStart(at: wall, day: day) - Self.levels
        case .minutes: wall - max(Self.least, minutes)
        case .hours: wall - max(Self.least, hours)
        case .days: wall - max(Self.least, days)
        case .inventory: wall - Self.inventory
        }
    }

    /// Silences and voltages of so many days are learnt from.
    package static let inventory = Duration.seconds(35 * 86_400)
    /// Levels of earlier days are kept so long after the evidence.
    private static let levels = Duration.seconds(86_400)
    /// Minutes and hours of this time are never removed: days are computed from them.
    package static let least = Duration.seconds(2 * 86_400)
}

import Primitives

/// The knowledge of one gateway about one second.
package struct GatewaySecond: Equatable, Sendable {
    /// The states of a gateway-second.
    package enum State: String, CaseIterable, Sendable {
        /// The radio was listening. Silence is absence.
        case heard
        /// The radio was listening, but the gateway's close level is not learnt yet.
        case learning
        /// The radio was not listening, and the gateway says so.
        case deaf
        /// The gateway declares that the message is lost.
        case lost
        /// No message says anything about this second.
        case unknown
    }

    /// One tag in this second.
    package struct Level: Equatable, Sendable {
        package let tag: Tag
        /// dBm.
        package let power: Double
        package let senders: Int
        /// Advertising reports. Those of a wide window are spread evenly over the time in which it heard the tag.
        package let reports: Double
        /// The first and the last report; of a wide window, within the second.
        package let seen: ClosedRange<UnixTime>

        package init(
            tag: Tag, power: Double, senders: Int, reports: Double = 1,
            seen: ClosedRange<UnixTime> = UnixTime.min...UnixTime.min
        ) {
            self.tag = tag
            self.power = power
            self.senders = senders
            self.reports = reports
            self.seen = seen
        }
    }

    /// The part of this second in which the radio was listening, was not, and of which the message is lost.
    private let listening: Duration
    package let deaf: Duration
    package let lost: Duration
    /// Whether the radio was listening, also while the gateway is learning.
    package let isListening: Bool
    /// Whether the radio was listening, and has reported nothing, of any device.
    package let isQuiet: Bool
    /// The start of the last window in it that has reported something; `nil` where none has.
    package let reportsSince: UnixTime?
    private var isLearning = false
    /// Whether a message about the second may still come: an agent merges empty windows.
    package var isAwaited = false
    /// In ascending order of tags; each tag once.
    package let levels: [Level]

    package var heard: Duration { isLearning ? .zero : listening }
    package var unknown: Duration { .seconds(1) - listening - deaf - lost }

    package init(
        heard: Duration = .zero, deaf: Duration = .zero, lost: Duration = .zero,
        isQuiet: Bool = false, reportsSince: UnixTime? = nil, levels: [Level] = []
    ) {
        listening = heard
        isListening = heard >= Self.enough
        self.isQuiet = isQuiet
        self.reportsSince = reportsSince
        self.deaf = deaf
        // A late message may fill a hole that was declared.
        self.lost = min(lost, .seconds(1) - heard - deaf)
        self.levels = levels
    }

    /// Whether levels of tags, and their absence, say something.
    package var isHeard: Bool { isListening && !isLearning }

    /// Whether no message that has arrived says anything about the second.
    package var isSilent: Bool { unknown + lost == .seconds(1) }

    /// The time that was heard becomes time of learning.
    package mutating func markAsLearning() { isLearning = true }

    package func time(in state: State) -> Duration {
        switch state {
        case .heard: heard
        case .learning: isLearning ? listening : .zero
        case .deaf: deaf
        case .lost: lost
        case .unknown: unknown
        }
    }

    /// Half a second of listening is enough: tags send several times a second.
    private static let enough = Duration.milliseconds(500)
}

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
    struct Level: Equatable, Sendable {
        let tag: Tag
        /// dBm.
        let power: Double
        let senders: Int
    }

    /// The part of this second in which the radio was listening, was not, and of which the message is lost.
    private let listening: Duration
    let deaf: Duration
    let lost: Duration
    /// Whether the radio was listening, also while the gateway is learning.
    let isListening: Bool
    private var isLearning = false
    /// Whether a message about the second may still come: an agent merges empty windows.
    var isAwaited = false
    /// In ascending order of tags; each tag once.
    let levels: [Level]

    var heard: Duration { isLearning ? .zero : listening }
    var unknown: Duration { .seconds(1) - listening - deaf - lost }

    init(
        heard: Duration = .zero, deaf: Duration = .zero, lost: Duration = .zero,
        levels: [Level] = []
    ) {
        listening = heard
        isListening = heard >= Self.enough
        self.deaf = deaf
        // A late message may fill a hole that was declared.
        self.lost = min(lost, .seconds(1) - heard - deaf)
        self.levels = levels
    }

    /// Whether levels of tags, and their absence, say something.
    var isHeard: Bool { isListening && !isLearning }

    /// Whether no message that has arrived says anything about the second.
    var isSilent: Bool { unknown + lost == .seconds(1) }

    /// The time that was heard becomes time of learning.
    mutating func markAsLearning() { isLearning = true }

    func time(in state: State) -> Duration {
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

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

    /// The part of this second in each state; their sum is a second.
    private(set) var heard: Duration
    private(set) var learning = Duration.zero
    private(set) var deaf: Duration
    private(set) var lost: Duration
    /// In ascending order of tags; each tag once.
    let levels: [Level]

    var unknown: Duration { .seconds(1) - heard - learning - deaf - lost }

    init(
        heard: Duration = .zero, deaf: Duration = .zero, lost: Duration = .zero,
        levels: [Level] = []
    ) {
        self.heard = heard
        self.deaf = deaf
        // A late message may fill a hole that was declared.
        self.lost = min(lost, .seconds(1) - heard - deaf)
        self.levels = levels
    }

    /// Whether levels of tags, and their absence, say something.
    var isHeard: Bool { heard >= Self.enough }

    /// Whether the radio was listening, also while the gateway is learning.
    var isListening: Bool { heard + learning >= Self.enough }

    /// Whether nothing at all is known of the second.
    var isUnknown: Bool { unknown == .seconds(1) }

    /// The time that was heard becomes time of learning.
    mutating func markAsLearning() {
        learning += heard
        heard = .zero
    }

    func time(in state: State) -> Duration {
        switch state {
        case .heard: heard
        case .learning: learning
        case .deaf: deaf
        case .lost: lost
        case .unknown: unknown
        }
    }

    /// Half a second of listening is enough: tags send several times a second.
    private static let enough = Duration.milliseconds(500)
}

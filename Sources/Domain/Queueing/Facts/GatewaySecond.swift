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

    /// Milliseconds of this second in each state; their sum is 1,000.
    private(set) var heardMs = 0
    private(set) var learningMs = 0
    private(set) var deafMs = 0
    private(set) var lostMs = 0
    /// In ascending order of tags; each tag once.
    var levels: [Level] = []

    var unknownMs: Int { 1000 - heardMs - learningMs - deafMs - lostMs }

    init(heardMs: Int = 0, deafMs: Int = 0, lostMs: Int = 0, levels: [Level] = []) {
        self.heardMs = heardMs
        self.deafMs = deafMs
        // A late message may fill a hole that was declared.
        self.lostMs = min(lostMs, 1000 - heardMs - deafMs)
        self.levels = levels
    }

    /// Whether levels of tags, and their absence, say something.
    var isHeard: Bool { heardMs >= Self.enough }

    /// Whether the radio was listening, also while the gateway is learning.
    var isListening: Bool { heardMs + learningMs >= Self.enough }

    /// The time that was heard becomes time of learning.
    mutating func markAsLearning() {
        learningMs += heardMs
        heardMs = 0
    }

    func milliseconds(_ state: State) -> Int {
        switch state {
        case .heard: heardMs
        case .learning: learningMs
        case .deaf: deafMs
        case .lost: lostMs
        case .unknown: unknownMs
        }
    }

    /// Half a second of listening is enough: tags send several times a second.
    private static let enough = 500
}

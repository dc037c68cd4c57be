/// The knowledge of one gateway about one second.
package struct GatewaySecond: Equatable, Sendable {
    /// The states of a gateway-second.
    package enum State: String, CaseIterable, Sendable {
        /// The radio was listening. Silence is absence.
        case heard
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
    private(set) var deafMs = 0
    private(set) var lostMs = 0
    /// In ascending order of tags; each tag once.
    var levels: [Level] = []

    var unknownMs: Int { 1000 - heardMs - deafMs - lostMs }

    init(heardMs: Int = 0, deafMs: Int = 0, lostMs: Int = 0, levels: [Level] = []) {
        self.heardMs = heardMs
        self.deafMs = deafMs
        // A late message may fill a hole that was declared.
        self.lostMs = min(lostMs, 1000 - heardMs - deafMs)
        self.levels = levels
    }

    /// Whether the absence of a tag says something.
    var isHeard: Bool { heardMs >= Self.enough }

    func milliseconds(_ state: State) -> Int {
        switch state {
        case .heard: heardMs
        case .deaf: deafMs
        case .lost: lostMs
        case .unknown: unknownMs
        }
    }

    /// Half a second of listening is enough: tags send several times a second.
    private static let enough = 500
}

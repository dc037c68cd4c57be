/// One tag of a site: its levels at each gateway, its behaviour, and its track at each queue.
struct TagRecord {
    private(set) var levels: [HeldLevel]
    private(set) var loudest: [LoudestSecond]
    private(set) var behaviour: TagBehaviour
    var tracks: [LineTrack]
    /// Seconds of the grid without any report, among those in which a gateway was hearing.
    private(set) var silence = 0
    private(set) var lastHeard: UnixSecond
    /// The gateway that heard the tag loudest when it came.
    var cameTo = 0

    init(gateways: Int, queues: Int, isNamed: Bool, second: UnixSecond) {
        levels = Array(repeating: HeldLevel(), count: gateways)
        loudest = Array(repeating: LoudestSecond(), count: gateways)
        tracks = Array(repeating: LineTrack(), count: queues)
        behaviour = TagBehaviour(since: second, isNamed: isNamed)
        lastHeard = second
    }

    /// Takes a second: what each gateway heard of the tag.
    ///
    /// - Parameter powers: dBm by gateway; `nil` where it did not hear the tag.
    mutating func on(
        _ powers: [Double?], senders: Int, _ seconds: [GatewaySecond], _ close: CloseLevels,
        at second: UnixSecond
    ) {
        var power: Double?
        for gateway in levels.indices {
            if let own = powers[gateway] {
                loudest[gateway].note(own)
                levels[gateway].hear(own - close[gateway])
                power = max(power ?? own, own)
            } else if seconds[gateway].isListening {
                levels[gateway].hear(nil)
            }
        }
        if let power {
            behaviour.hear(power: power, senders: senders, at: second)
            silence = 0
            lastHeard = second
        } else if seconds.contains(where: \.isListening) {
            silence += 1
        }
    }

    /// The levels at all gateways, and when one heard the tag last.
    var heard: (levels: [HeldLevel], last: UnixSecond) { (levels, lastHeard) }

    /// Whether it is a visitor's, and in line by its edges.
    func isInLine(queue: Int, _ approach: Approach) -> Bool {
        behaviour.kind == .visitor && tracks[queue].decoder(approach).inLineSince != nil
    }

    /// The tag was next to two distant gateways.
    mutating func noteApart() { behaviour.noteApart() }

    mutating func noteVisit() { behaviour.noteVisit() }

    /// The tag has gone: its levels of today say nothing about its next time here.
    ///
    /// - Returns: its loudest second at each gateway, in dBm.
    mutating func leave() -> [Double?] {
        defer {
            loudest = loudest.map { _ in LoudestSecond() }
            levels = levels.map { _ in HeldLevel() }
            silence = 0
        }
        return loudest.map(\.power)
    }
}

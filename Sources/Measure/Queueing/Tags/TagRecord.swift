import Facts

/// One tag of a site: its levels at each gateway, its behaviour, and its track at each queue.
struct TagRecord {
    let tag: Tag
    private(set) var levels: [HoldFilter]
    private(set) var loudest: [PeakLevel]
    private var behaviour: TagBehaviour
    var tracks: [LineTrack]
    /// Seconds of the grid without any report, among those in which a gateway was hearing.
    private(set) var silence = 0
    private(set) var lastHeard: UnixSecond
    /// The queue at whose till its person has left it; `nil` while a person has it. It is in no line then.
    private(set) var leftAt: QueueIndex?
    /// The gateway that heard the tag loudest when it came.
    private(set) var cameTo = GatewayIndex(0)

    init(_ tag: Tag, gateways: Int, queues: Int, isNamed: Bool, second: UnixSecond) {
        self.tag = tag
        levels = Array(repeating: HoldFilter(), count: gateways)
        loudest = Array(repeating: PeakLevel(), count: gateways)
        tracks = Array(repeating: LineTrack(), count: queues)
        behaviour = TagBehaviour(since: second, isNamed: isNamed)
        lastHeard = second
    }

    /// The tag comes again.
    init(_ absent: AbsentTag, _ tag: Tag, gateways: Int) {
        self.tag = tag
        levels = Array(repeating: HoldFilter(), count: gateways)
        loudest = Array(repeating: PeakLevel(), count: gateways)
        tracks = absent.own.map { LineTrack(own: $0) }
        behaviour = absent.behaviour
        lastHeard = absent.lastHeard
    }

    var kind: TagKind { behaviour.kind }
    /// Whether a visitor has it.
    var isWithVisitor: Bool { kind == .visitor && leftAt == nil }

    /// What is kept of a tag that has left, and whose tracks have ended.
    var absent: AbsentTag {
        AbsentTag(behaviour: behaviour, own: tracks.map(\.own), lastHeard: lastHeard)
    }

    /// The tag comes.
    ///
    /// - Parameters:
    ///   - gateway: the one that hears it loudest.
    ///   - mode: of the site.
    mutating func come(to gateway: GatewayIndex, _ mode: ShoppingMode) {
        cameTo = gateway
        begin(mode)
    }

    /// Starts the decoders of the site's shopping mode.
    mutating func begin(_ mode: ShoppingMode) {
        for queue in tracks.indices { tracks[queue].begin(mode) }
    }

    /// Takes a second: what each gateway heard of the tag.
    ///
    /// - Parameter heard: the powers of the tag.
    mutating func on(
        _ heard: TagPowers, _ seconds: [GatewaySecond], _ close: CloseLevels, at second: UnixSecond
    ) {
        var power: Double?
        for gateway in GatewayIndex.all(of: levels) {
            if let own = heard.powers[gateway] {
                loudest[gateway].note(own)
                levels[gateway].hear(own - close[gateway])
                power = max(power ?? own, own)
            } else if seconds[gateway].isListening {
                levels[gateway].hear(nil)
            }
        }
        if let power {
            behaviour.hear(power: power, senders: heard.senders, at: second)
            silence = 0
            lastHeard = second
        } else if seconds.contains(where: \.isListening) {
            silence += 1
        }
    }

    /// Its person has left it at a till of a queue.
    mutating func leave(atTillOf queue: QueueIndex) {
        leftAt = queue
        for other in QueueIndex.all(of: tracks) where other != queue { _ = tracks[other].finish() }
    }

    /// Takes a second of a tag that a person may have left at a till.
    ///
    /// - Parameter roles: of the queues.
    /// - Returns: whether it is still there. Otherwise somebody has taken it, and it is a new person's.
    mutating func lies(
        _ roles: [QueueRoles], _ isKnown: [Bool], at second: UnixSecond
    ) -> Bool {
        guard let queue = leftAt else { return false }
        // Silence is no movement.
        guard isKnown[queue], !tracks[queue].lies(levels(roles[queue]), at: second),
            lastHeard == second
        else { return true }
        _ = tracks[queue].finish()
        leftAt = nil
        return false
    }

    /// Its levels at a queue.
    func levels(_ roles: QueueRoles) -> RoleLevels { roles.levels(levels, lastHeard) }

    /// Whether it is a visitor's, and in line by its edges.
    func isInLine(queue: QueueIndex, _ mode: ShoppingMode) -> Bool {
        kind == .visitor && tracks[queue].isInLine(mode)
    }

    /// The tag was next to two distant gateways.
    mutating func noteApart() { behaviour.noteApart() }

    mutating func noteVisit() { behaviour.noteVisit() }
}

/// A known tag that is not present. Its levels of today say nothing about its next time here, so that it is small: a site
/// knows thousands of them.
struct AbsentTag {
    fileprivate var behaviour: TagBehaviour
    /// By queue.
    fileprivate let own: [LineTrack.OwnLevels]
    let lastHeard: UnixSecond

    var kind: TagKind { behaviour.kind }
    /// Whether it was only present: no visit, and no sign of what it is.
    var isStranger: Bool { behaviour.isStranger }

    mutating func noteVisit() { behaviour.noteVisit() }
}

/// The powers of one tag after the other in a second, at all gateways. The caller takes the tags in ascending order.
struct TagPowers {
    private let seconds: [GatewaySecond]
    /// By gateway: the first of its levels whose tag was not passed.
    private var next: [Int]
    /// Of the last tag: dBm by gateway, `nil` where it did not hear the tag.
    private(set) var powers: [Double?]
    /// Of the last tag: the most senders that a gateway heard.
    private(set) var senders = 0

    init(_ seconds: [GatewaySecond]) {
        self.seconds = seconds
        next = [Int](repeating: 0, count: seconds.count)
        powers = [Double?](repeating: nil, count: seconds.count)
    }

    mutating func go(to tag: Tag) {
        senders = 0
        for gateway in GatewayIndex.all(of: seconds) {
            powers[gateway] = nil
            while let level = level(gateway), level.tag < tag { next[gateway] += 1 }
            guard let level = level(gateway), level.tag == tag else { continue }
            senders = max(senders, level.senders)
            powers[gateway] = level.power
        }
    }

    private func level(_ gateway: GatewayIndex) -> GatewaySecond.Level? {
        let index = next[gateway]
        return index < seconds[gateway].levels.count ? seconds[gateway].levels[index] : nil
    }
}

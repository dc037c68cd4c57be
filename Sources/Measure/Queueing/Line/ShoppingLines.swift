import Facts

/// The lines of a site with the models of its shopping mode, and the change to another one.
struct ShoppingLines {
    private(set) var evidence: ShoppingEvidence
    /// By the direct decoders. They are always kept: their order shows the shopping mode.
    private var direct: SharedLines
    /// By the browsing decoders; `nil` in a direct site.
    private var browsing: SharedLines?
    /// The second of the last change.
    private var since: UnixSecond?
    private let roles: [QueueRoles]

    /// - Parameter tills: of each queue.
    init(_ evidence: ShoppingEvidence, _ roles: [QueueRoles], _ tills: [ParallelTills]) {
        self.evidence = evidence
        self.roles = roles
        direct = SharedLines(roles, tills)
        if evidence.mode == .browsing { browsing = direct }
    }

    var current: ShoppingMode { evidence.mode }

    /// The lines by one shopping mode.
    subscript(mode: ShoppingMode) -> SharedLines {
        get { mode == .direct ? direct : browsing ?? direct }
        set { if mode == .direct { direct = newValue } else { browsing = newValue } }
    }

    /// Adds the stays of a visitor.
    mutating func add(_ stays: LineTrack.Stays, of tag: Tag, queue: Int) {
        for stay in stays.direct { direct.add(stay, of: tag, queue: queue) }
        for stay in stays.browsing { browsing?.add(stay, of: tag, queue: queue) }
    }

    /// Lets the dates of a queue's stays follow a stretch without knowledge that goes on.
    mutating func widen(with unknown: Range<UnixSecond>, queue: Int) {
        direct[queue].widen(with: unknown)
        browsing?[queue].widen(with: unknown)
    }

    /// Whether a stay began after the last change. The minute of an earlier one may be final: it counts nowhere.
    func counts(_ stay: LineStay) -> Bool { since.map { stay.entered.second > $0 } ?? true }

    /// Reads what the judgements have shown.
    ///
    /// - Returns: whether the shopping mode has changed.
    mutating func follow(at second: UnixSecond) -> Bool {
        let before = current
        for queue in roles.byName {
            let turns = direct[queue].takeTurns()
            for turn in turns { evidence.add(turn, tills: direct[queue].tills.number) }
            _ = browsing?[queue].takeTurns()
        }
        guard current != before else { return false }
        since = second
        let tills = roles.map { ParallelTills(gateways: $0.till.count) }
        browsing = current == .browsing ? SharedLines(roles, tills) : nil
        return true
    }
}

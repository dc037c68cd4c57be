import Facts

/// The lines of a site with the models of its shopping mode, and the change to another one.
struct ShoppingLines {
    private(set) var evidence: ShoppingEvidence
    /// By the decoders of the current mode.
    var lines: SharedLines
    /// What people have shown since the last call of `follow`.
    private var lingered: [Duration] = []
    /// The visitors who have lingered: one who comes again, or to another queue, is not one more.
    private var lingerers: Set<Tag> = []
    /// The second of the last change.
    private var since: UnixSecond?
    private let roles: [QueueRoles]

    /// - Parameter tills: of each queue.
    init(_ evidence: ShoppingEvidence, _ roles: [QueueRoles], _ tills: [ParallelTills]) {
        self.evidence = evidence
        self.roles = roles
        lines = SharedLines(roles, tills, evidence.mode)
    }

    var current: ShoppingMode { evidence.mode }

    /// Adds the stays of a visitor.
    mutating func add(_ stays: LineTrack.Stays, of tag: Tag, queue: QueueIndex) {
        for stay in stays[current] { lines.add(stay, of: tag, queue: queue) }
        guard let time = stays.lingered else { return }
        let isNew = time <= ShoppingEvidence.longestWalk || lingerers.insert(tag).inserted
        if isNew { lingered.append(time) }
    }

    /// Whether a stay began after the last change. The minute of an earlier one may be final: it counts nowhere.
    func counts(_ stay: LineStay) -> Bool { since.map { stay.entered.second > $0 } ?? true }

    /// Reads what people have shown.
    ///
    /// - Returns: whether the shopping mode has changed.
    mutating func follow(at second: UnixSecond) -> Bool {
        let before = current
        // Pseudonyms must not decide about the order in one second.
        for time in lingered.sorted() { evidence.add(lingered: time) }
        lingered = []
        guard current != before else { return false }
        since = second
        let tills = roles.map { ParallelTills(gateways: $0.till.count) }
        lines = SharedLines(roles, tills, current)
        return true
    }
}

import Facts

/// The state of a queue at present: `ok`, `degraded` or `unknown`, and since when.
struct QueueCondition: Equatable {
    private(set) var state = QueuePeriod.State.unknown
    /// `nil` before the first second.
    private(set) var since: UnixSecond?
    /// The last second in which a role did not hear.
    private var lastBlind: UnixSecond?
    /// The last second in which no tag was in line.
    private var lastEmpty: UnixSecond?

    /// After a role hears again, the decoder needs this long to recognise those who joined unseen.
    static let recovery = Duration.seconds(30)
    /// A tag may be in line and out of it again, by turns, as its probability changes. So long in line, it shows that the line is
    /// not empty. Chosen.
    private static let steady = Duration.seconds(15)

    /// - Parameter isEmpty: whether no tag is in line.
    mutating func on(
        _ strips: [GatewayStrip], _ roles: QueueRoles, isEmpty: Bool, at second: UnixSecond
    ) {
        if isEmpty { lastEmpty = second }
        let hears = { (gateway: GatewayIndex) in strips[gateway].isHearing(at: second) }
        if !roles.entry.contains(where: hears) || !roles.till.contains(where: hears) {
            lastBlind = second
        }
        let isRecovering = lastBlind.map { second - $0 <= Self.recovery } ?? false
        let isWhole = roles.all.allSatisfy(hears)
        let new: QueuePeriod.State =
            switch (isRecovering, isWhole) {
            case (true, _): .unknown
            case (false, true): .ok
            // An empty line is a statement about the area of each gateway.
            case (false, false): isSteadilyBusy(at: second) ? .degraded : .unknown
            }
        if new != state || since == nil {
            state = new
            since = second
        }
    }

    /// Whether a tag has been in line for some time.
    func isSteadilyBusy(at second: UnixSecond) -> Bool {
        lastEmpty.map { second - $0 >= Self.steady } ?? true
    }
}

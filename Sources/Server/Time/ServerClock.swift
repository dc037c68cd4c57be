import Primitives

/// The server's time. It runs by the boot clock, and follows the wall clock while the two differ by less than 5 s.
///
/// The wall clock may be unset at the start, and may step by hours, rightly or wrongly. Gateways are the witnesses: a message shows
/// that the time is at least the end of its window, and for a live one not much later. A step counts once more gateways show the
/// new time than show the present one.
///
/// A lone gateway of several moves the time as well, after half a minute: by 30 days at most, if the wall clock was set.
///
/// Before anything confirms the wall clock, the time is not settled. Then the server closes no day and removes no rows.
struct ServerClock {
    /// What the time says about the end of a window.
    enum Judgement: Equatable {
        case plausible
        case future
        /// The time is not settled: the broker keeps the message until it is.
        case undecided
    }

    /// A change of the time.
    enum Change: Equatable {
        /// The wall clock has stepped, and no gateway confirms it: the time goes on.
        case doubted(Duration)
        /// The time has stepped.
        case stepped(Duration)
    }

    /// The latest time that a gateway has shown: an offset to the boot clock, and when it was shown.
    private struct Witness {
        let offset: Duration
        let shown: Instant
    }

    /// To the boot clock.
    private var offset: Duration
    private var witnesses: [String: Witness] = [:]
    private(set) var isSettled = false
    private var isDoubted = false
    /// The first message that was undecided.
    private var undecidedSince: Instant?
    private var change: Change?

    /// Clocks that agree differ by less. A live message arrives within this time.
    private static let tolerance = Duration.seconds(5)
    /// Gateways' clocks may be ahead by so much.
    private static let mostAhead = Duration.seconds(60)
    /// A backlog says nothing about the present: the latest time that a gateway has shown counts for so long.
    private static let memory = Duration.seconds(600)
    /// Messages are undecided for so long at most.
    private static let longestDoubt = Duration.seconds(30)
    /// A wall clock before 2025 is not set.
    private static let unset = UnixTime(milliseconds: 1_735_689_600_000)
    /// After a doubt, few gateways move a wall clock that was set by so much at most: a machine without power.
    private static let mostByFew = Duration.seconds(30 * 86_400)

    /// - Parameters:
    ///   - wall: the wall clock, since the epoch.
    ///   - isDisciplined: whether the kernel reports that a time service sets it.
    init(wall: Instant, isDisciplined: Bool, at now: Instant) {
        offset = wall - now
        isSettled = isDisciplined
    }

    func time(at now: Instant) -> UnixTime { UnixTime(now + offset) }

    /// Takes a reading of the wall clock.
    mutating func follow(wall reading: Instant, isDisciplined: Bool, at now: Instant) {
        let wall = reading - now
        if isSettled, !agree(wall, offset),
            count(showing: wall, at: now) <= count(showing: offset, at: now)
        {
            if !isDoubted { change = .doubted(wall - offset) }
            isDoubted = true
            return
        }
        if !agree(wall, offset) { change = .stepped(wall - offset) }
        offset = wall
        isDoubted = false
        isSettled = isSettled || isDisciplined || count(showing: offset, at: now) > 0
    }

    /// The change since the last call.
    mutating func takeChange() -> Change? {
        defer { change = nil }
        return change
    }

    /// Takes the end of a window that has arrived from a configured gateway whose clock is set.
    ///
    /// - Parameter gateways: the number of the configured ones.
    mutating func on(
        end: UnixTime, from gateway: String, of gateways: @autoclosure () -> Int, at now: Instant
    ) {
        let shown = end.instant - now
        if let last = witnesses[gateway], now - last.shown < Self.memory,
            last.offset > shown + Self.tolerance
        {
            return
        }
        witnesses[gateway] = Witness(offset: shown, shown: now)
        guard !isSettled else { return }
        if agree(shown, offset) {
            isSettled = true
        } else if shown > offset + Self.mostAhead,
            isDoubtOver(at: now) && mayBeMissed(shown - offset, at: now)
                || count(showing: shown, at: now) * 2 > gateways()
        {
            change = .stepped(shown - offset)
            offset = shown
            isSettled = true
        }
    }

    /// Judges the end of a window.
    mutating func judge(end: UnixTime, at now: Instant) -> Judgement {
        guard end > time(at: now) + Self.mostAhead else { return .plausible }
        undecidedSince = undecidedSince ?? now
        return isSettled || isDoubtOver(at: now) ? .future : .undecided
    }

    /// Whether the machine's clock may have missed a time: it stood still, or begins with the epoch.
    private func mayBeMissed(_ step: Duration, at now: Instant) -> Bool {
        step <= Self.mostByFew || time(at: now) < Self.unset
    }

    private func isDoubtOver(at now: Instant) -> Bool {
        undecidedSince.map { now - $0 >= Self.longestDoubt } ?? false
    }

    private func agree(_ one: Duration, _ other: Duration) -> Bool {
        let difference = one - other
        return max(difference, .zero - difference) <= Self.tolerance
    }

    /// The gateways that have lately shown a time.
    private func count(showing offset: Duration, at now: Instant) -> Int {
        witnesses.values.count { now - $0.shown < Self.memory && agree($0.offset, offset) }
    }
}

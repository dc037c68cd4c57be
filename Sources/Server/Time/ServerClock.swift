import Primitives

/// The server's time. It runs by the boot clock, and follows the wall clock while the two differ by less than 5 s.
///
/// The wall clock may be unset at the start, and may step by hours, rightly or wrongly. Gateways are the witnesses: a message shows
/// that the time is at least the end of its window, and for a live one not much later. A confirmed time steps with the wall clock,
/// once more gateways show the new time than the present one.
///
/// Before the kernel confirms a time, the time is the one that most witnesses show; of two, the one nearer to the wall clock. Later
/// witnesses overrule earlier ones. The certainty says what may be done by this time.
struct ServerClock {
    /// What the time says about the end of a window.
    enum Judgement: Equatable {
        case plausible
        case future
        /// The time is not confirmed: the broker keeps the message until it is.
        case undecided
    }

    /// A change of the time.
    enum Change: Equatable {
        /// The wall clock shows another time that gateways do not confirm: the time goes on.
        case doubted(Duration)
        /// The time has stepped.
        case stepped(Duration)
        /// The doubt after a step is over.
        case confirmed
    }

    /// To the boot clock.
    private var offset: Duration
    private var wall: Duration
    private var witnesses = Witnesses()
    private var confirmation: TimeConfirmation
    /// When a word below the kernel's has moved the time.
    private var stepped: Instant?
    private var uncertainSince: Instant?
    private var agreement = TimeAgreement()
    /// Whether a difference to the wall clock is reported.
    private var isDoubted = false
    private var wasDoubtful = false
    /// The first message that was undecided.
    private var undecidedSince: Instant?
    private var change: Change?

    /// Gateways' clocks may be ahead by so much.
    static let mostAhead = Duration.seconds(60)
    /// Messages are undecided for so long at most. Few gateways, or gateways that show the past, move the time after it.
    private static let longestDoubt = Duration.seconds(30)
    /// A wall clock before 2025 is not set.
    private static let unset = UnixTime(milliseconds: 1_735_689_600_000)
    /// Few gateways move a wall clock that was set by so much at most: a machine without power.
    private static let mostByFew = Duration.seconds(30 * 86_400)

    /// - Parameters:
    ///   - wall: the wall clock, since the epoch.
    ///   - isDisciplined: whether the kernel reports that a time service sets it.
    init(wall: Instant, isDisciplined: Bool, at now: Instant) {
        self.wall = wall - now
        offset = self.wall
        confirmation = isDisciplined ? .kernel : .nothing
    }

    func time(at now: Instant) -> UnixTime { UnixTime(now + offset) }

    func certainty(at now: Instant) -> TimeCertainty {
        confirmation.certainty(
            age: stepped.map { now - $0 }, isAgreed: agreement.isLasting)
    }

    /// Since when the time is not certain, if that lasts.
    func lastingUncertainty(at now: Instant) -> Duration? {
        uncertainSince.map { now - $0 }.flatMap { $0 > TimeConfirmation.margin * 1.1 ? $0 : nil }
    }

    /// Windows that start from here on may be of a day that a correction of the time opens; `nil` if no correction is likely.
    func correctable(at now: Instant) -> UnixTime? {
        let certainty = certainty(at: now)
        return certainty < .probable || certainty < .certain && stepped != nil
            ? time(at: now) - Self.mostByFew : nil
    }

    /// Takes a reading of the wall clock.
    mutating func follow(wall reading: Instant, isDisciplined: Bool, at now: Instant) {
        wall = reading - now
        if Witnesses.agree(wall, offset) {
            offset = wall
            isDoubted = false
            if isDisciplined, confirmation < .kernel { (confirmation, stepped) = (.kernel, nil) }
        } else if isFollowed(isDisciplined, at: now) {
            // A time that nothing confirmed was the wall clock's, and the kernel knows better than gateways.
            let isCorrection =
                confirmation == .nothing || isDisciplined && confirmation < .kernel
            let count = witnesses.count(showing: wall, at: now)
            step(to: wall, isDisciplined ? .kernel : count > 0 ? .fewGateways : .nothing)
            stepped = isCorrection ? nil : now
        } else if !isDoubted, change == nil {
            change = .doubted(wall - offset)
            isDoubted = true
            agreement.contradict()
        }
        let certainty = certainty(at: now)
        if wasDoubtful, certainty > .doubtful { change = change ?? .confirmed }
        wasDoubtful = certainty == .doubtful
        uncertainSince = certainty == .certain ? nil : uncertainSince ?? now
    }

    private func isFollowed(_ isDisciplined: Bool, at now: Instant) -> Bool {
        confirmation == .nothing && stepped == nil
            || isDisciplined && confirmation < .kernel
            || witnesses.count(showing: wall, at: now) > witnesses.count(showing: offset, at: now)
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
        guard end <= .endOf9999 else { return }
        let witness = witnesses.add(end.instant - now, from: gateway, at: now)
        let agrees = Witnesses.agree(witness.offset, offset)
        guard confirmation < (agrees ? .mostGateways : .kernel) else { return }
        let count = witnesses.count(showing: witness.offset, at: now)
        let word = TimeConfirmation(count, of: gateways())
        if agrees {
            confirmation = max(confirmation, word)
            if Witnesses.agree(wall, offset) { agreement.confirm(at: now) }
            return
        }
        // A backlog shows the past, and faster than time passes.
        if witness.offset > offset || witness.heard - witness.since >= Self.longestDoubt {
            agreement.contradict()
        }
        if moves(witness, word, count, at: now) {
            step(to: witness.offset, word)
            stepped = now
        }
    }

    /// Whether gateways move the time without the wall clock.
    private func moves(
        _ witness: Witnesses.Witness, _ word: TimeConfirmation, _ count: Int, at now: Instant
    ) -> Bool {
        let shown = witness.offset
        if confirmation == .mostGateways, Witnesses.agree(wall, offset) { return false }
        if word == .mostGateways, shown > offset { return true }
        let isLasting: Bool
        if shown > offset {
            isLasting =
                now - witness.since >= Self.longestDoubt && mayBeMissed(shown - offset, at: now)
        } else {
            // A backlog shows the past too, mostly faster than time passes, and slower on a busy machine. It may move a time back that
            // gateways have moved, and hardly the wall clock.
            let lasting =
                stepped == nil
                ? (witness.shown - witness.since) / 4 : witness.heard - witness.since
            isLasting = lasting >= Self.longestDoubt && offset - shown > Self.mostAhead
        }
        let present = witnesses.count(showing: offset, at: now)
        return isLasting && (count, distance(offset)) > (present, distance(shown))
    }

    /// To the wall clock.
    private func distance(_ offset: Duration) -> Duration {
        max(offset - wall, wall - offset)
    }

    private mutating func step(to new: Duration, _ word: TimeConfirmation) {
        change = .stepped(new - offset)
        (offset, confirmation, isDoubted) = (new, word, false)
        agreement.step()
    }

    /// Whether something seems to be of the future, also if this time may be wrong.
    func isFuture(_ end: UnixTime, at now: Instant) -> Bool {
        end > time(at: now) + Self.mostAhead
    }

    /// Judges the end of a window.
    mutating func judge(end: UnixTime, at now: Instant) -> Judgement {
        guard isFuture(end, at: now) else { return .plausible }
        undecidedSince = undecidedSince ?? now
        let isOver = undecidedSince.map { now - $0 >= Self.longestDoubt } ?? false
        return confirmation > .fewGateways || isOver ? .future : .undecided
    }

    /// Whether the machine's clock may have missed a time: it stood still, or begins with the epoch.
    private func mayBeMissed(_ step: Duration, at now: Instant) -> Bool {
        step <= Self.mostByFew || time(at: now) < Self.unset
    }
}

import Facts

/// One tag at one queue: its levels, and the decoders of its stays.
struct LineTrack {
    /// The usual levels of the tag at the roles: all that stays of a track when the tag has gone.
    struct OwnLevels: Equatable {
        fileprivate var entry = OwnLevel()
        fileprivate var till = OwnLevel()
    }

    private(set) var own: OwnLevels
    private var history = LevelHistory.silent
    private var direct = LineDecoder()
    /// `nil` in a direct site.
    private var browsing: LineDecoder?
    private var last = LevelHistory.Sample()
    private var presence = PresenceLevels()
    /// Since when the same till has been the loudest one.
    private var tillSince: UnixSecond?
    /// The time since the tag came.
    private var seen = Duration.zero
    /// The part of it in which the tag was beside the line; `nil` once it is reported.
    private var lingered: Duration? = .zero
    private var hasStays = false

    /// A stay does not go on behind a longer unknown stretch: the tag may have left and come again.
    private static let longestUnknown = Duration.seconds(600)

    init(own: OwnLevels = OwnLevels()) { self.own = own }

    /// The stays that are now final, by each mode; `LineOrder` judges them.
    struct Stays {
        var direct: [LineStay] = []
        var browsing: [LineStay] = []
        /// Of a tag with stays: the time beside the line, as soon as it is long, or when the tag has gone.
        var lingered: Duration?

        var isEmpty: Bool { direct.isEmpty && browsing.isEmpty && lingered == nil }

        subscript(mode: ShoppingMode) -> [LineStay] { mode == .direct ? direct : browsing }
    }

    /// The decoder of a shopping mode.
    func decoder(_ mode: ShoppingMode) -> LineDecoder {
        mode == .direct ? direct : browsing ?? LineDecoder(mode)
    }

    /// Whether the tag is in line by its edges.
    func isInLine(_ mode: ShoppingMode) -> Bool {
        (mode == .direct ? direct.inLineSince : browsing?.inLineSince) != nil
    }

    /// Starts the decoder of the site's shopping mode.
    mutating func begin(_ mode: ShoppingMode) {
        browsing = mode == .direct ? nil : LineDecoder(mode)
    }

    /// Adds the next second.
    ///
    /// - Parameters:
    ///   - levels: `nil` where a role did not hear.
    ///   - gaps: with the seconds in which a role did not hear.
    ///   - calibration: of the queue.
    mutating func on(
        _ levels: RoleLevels?, _ gaps: KnowledgeGaps, _ calibration: PresenceCalibration,
        at second: UnixSecond
    ) -> Stays {
        if let levels {
            if !levels.isAway {
                own.entry.follow(levels.entry)
                own.till.follow(levels.till)
            }
            follow(levels, at: second)
            if presence.isBeside { lingered? += .seconds(1) }
        } else {
            last.isKnown = false
            if let unknown = gaps.unknown {
                direct.widen(with: unknown)
                browsing?.widen(with: unknown)
                if unknown.duration == Self.longestUnknown {
                    return cut(gaps, calibration, at: second)
                }
            }
        }
        seen += .seconds(1)
        history.add(last)
        let scored = second.advanced(by: -LevelHistory.reach)
        var stays = Stays(direct: score(.direct, at: scored, gaps))
        if browsing != nil { stays.browsing = score(.browsing, at: scored, gaps) }
        hasStays = hasStays || !stays.isEmpty
        if hasStays, let time = lingered, time > ShoppingEvidence.longestWalk {
            stays.lingered = time
            lingered = nil
        }
        return stays
    }

    private mutating func follow(_ levels: RoleLevels, at second: UnixSecond) {
        if levels.loudestTill != last.loudestTill { tillSince = second }
        last = LevelHistory.Sample(
            entry: levels.entry, till: levels.till, loudest: levels.loudest,
            ownEntry: own.entry.value, ownTill: own.till.value, loudestTill: levels.loudestTill,
            lastHeard: levels.lastHeard)
        presence.follow(last)
    }

    /// The decoder after twelve seconds more at the present levels, and the stays that are final then: an estimate of the
    /// present.
    private func provisional(
        _ mode: ShoppingMode, _ gaps: KnowledgeGaps, at second: UnixSecond
    ) -> (decoder: LineDecoder, left: [LineStay]) {
        var copy = self
        var left: [LineStay] = []
        let present = last.isKnown ? presence.present : last
        for ahead in 1...LevelHistory.reach {
            copy.history.add(present)
            let scored = second.advanced(by: ahead - LevelHistory.reach)
            left += copy.score(mode, at: scored, gaps)
        }
        return (copy.decoder(mode), left)
    }

    /// The tag at present: the probability that it is in line, and its stays.
    ///
    /// - Parameter calibration: of the queue, like the gaps.
    func view(
        _ mode: ShoppingMode, _ calibration: PresenceCalibration, _ gaps: KnowledgeGaps,
        at second: UnixSecond
    ) -> TrackView {
        let (ahead, left) = provisional(mode, gaps, at: second)
        return view(mode, calibration, ahead, left, at: second)
    }

    /// Whether too little has been heard of the tag to say where it is.
    private var isNew: Bool { seen < .seconds(LevelHistory.reach) }

    // Inlined, it makes the optimiser of Swift 6.3.1 fail.
    @inline(never)
    private func view(
        _ mode: ShoppingMode, _ calibration: PresenceCalibration, _ ahead: LineDecoder,
        _ left: [LineStay], at second: UnixSecond
    ) -> TrackView {
        let age = ahead.joinedIfInLine.map { second.next - $0.second } ?? .zero
        let probability = mode.models.presence.probability(
            presence, ahead: ahead, behind: decoder(mode), age: age, seen: seen,
            correction: calibration.correction)
        return TrackView(
            probability: probability, decoder: ahead, left: left, came: second.next - seen,
            isNear: presence.isNear || isNew, second: second)
    }

    /// Nothing is known of the tag after this second, which may be the last one of a stretch without knowledge.
    ///
    /// - Parameter calibration: of the queue, like the gaps.
    mutating func cut(
        _ gaps: KnowledgeGaps, _ calibration: PresenceCalibration, at second: UnixSecond
    ) -> Stays {
        let unknown = gaps.unknown(before: second.next)
        let end = EdgeDate(
            unknown?.lowerBound ?? second.next, unknown: unknown.map { [$0] } ?? [])
        let stays = { (track: LineTrack, mode: ShoppingMode) -> [LineStay]? in
            let view = track.view(mode, calibration, gaps, at: second)
            return view.inLine?.cut(at: end).map { view.left + [$0] }
        }
        let direct = stays(self, .direct)
        let browsing = browsing.flatMap { _ in stays(self, .browsing) }
        let gone = finish()
        return Stays(direct: direct ?? gone.direct, browsing: browsing ?? gone.browsing)
    }

    /// Whether the tag is in line, next to a till, by the mean levels of some seconds.
    ///
    /// - Returns: the till, and the last date of joining.
    func atTill(
        _ mode: ShoppingMode, at second: UnixSecond
    ) -> (till: TillIndex, joined: UnixSecond)? {
        let isAtOther = tillSince.map { second - $0 < .seconds(LevelHistory.reach) } ?? false
        guard presence.isAtTill, !isAtOther, let joined = decoder(mode).latestJoining else {
            return nil
        }
        return (last.loudestTill, joined)
    }

    /// Takes a second of a tag that its person has left at a till; returns whether it is still there.
    mutating func lies(_ levels: RoleLevels, at second: UnixSecond) -> Bool {
        follow(levels, at: second)
        return !presence.hasGone
    }

    /// Ends the stay of a tag that stays at the till without its person.
    mutating func leaveTag(_ mode: ShoppingMode, at date: EdgeDate, till: TillIndex) -> Stays {
        let scores = LineScores(history.withoutReturn, mode.models)
        switch mode {
        case .direct: return Stays(direct: direct.leaveTag(scores, at: date, till: till))
        case .browsing:
            return Stays(browsing: browsing?.leaveTag(scores, at: date, till: till) ?? [])
        }
    }

    /// The tag has gone.
    mutating func finish() -> Stays {
        defer {
            history = .silent
            last = LevelHistory.Sample()
            presence = PresenceLevels()
            tillSince = nil
            seen = .zero
            lingered = .zero
            hasStays = false
        }
        var stays = Stays(direct: direct.finish(), browsing: browsing?.finish() ?? [])
        if hasStays || !stays.isEmpty { stays.lingered = lingered }
        return stays
    }

    private mutating func score(
        _ mode: ShoppingMode, at second: UnixSecond, _ gaps: KnowledgeGaps
    ) -> [LineStay] {
        // A second without knowledge has no scores: no edge can be found in it.
        guard history[0].isKnown else { return [] }
        var scores = LineScores(history, mode.models)
        // A shorter stretch keeps the levels before it, and the scores see the edge.
        if let unknown = gaps.unknown(before: second), unknown.count > HoldFilter.held {
            scores = scores.afterUnseen
        }
        let date = EdgeDate(second, unknown: gaps.stretches)
        // A held level falls seconds after the tag was last heard.
        let departure = EdgeDate(
            min(second, history[0].lastHeard ?? second), unknown: gaps.stretches)
        let till = history[0].loudestTill
        switch mode {
        case .direct: return direct.on(scores, at: date, departure: departure, till: till)
        case .browsing:
            return browsing?.on(scores, at: date, departure: departure, till: till) ?? []
        }
    }
}

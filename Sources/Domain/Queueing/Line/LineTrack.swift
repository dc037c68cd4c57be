/// One tag at one queue: its levels, and the decoder of its stays.
struct LineTrack {
    private var history = LevelHistory.silent
    private var ownEntry = OwnLevel()
    private var ownTill = OwnLevel()
    private(set) var decoder = LineDecoder()
    private var last = LevelHistory.Sample()
    private var presence = PresenceLevels.silent
    /// The time since the tag came.
    private var seen = Duration.zero

    /// A stay does not go on behind a longer unknown stretch: the tag may have left and come again.
    private static let longestUnknown = Duration.seconds(600)

    /// Adds the next second.
    ///
    /// - Parameters:
    ///   - levels: `nil` where a role did not hear.
    ///   - unknown: the latest seconds in which a role did not hear.
    /// - Returns: the stays that are now final; `LineOrder` judges them.
    mutating func on(
        _ levels: RoleLevels?, unknown: Range<UnixSecond>?, at second: UnixSecond
    ) -> [LineStay] {
        if let levels {
            if !levels.isAway {
                ownEntry.follow(levels.entry)
                ownTill.follow(levels.till)
            }
            last = LevelHistory.Sample(
                entry: levels.entry, till: levels.till, louder: levels.louder,
                ownEntry: ownEntry.value, ownTill: ownTill.value, loudestTill: levels.loudestTill)
            presence.follow(last)
        } else {
            last.isKnown = false
            if unknown?.duration == Self.longestUnknown { return finish() }
        }
        seen += .seconds(1)
        history.add(last)
        return score(at: second.advanced(by: -LevelHistory.reach), unknown: unknown)
    }

    /// The decoder after twelve seconds more at the present levels, and the stays that are final then: an estimate of the
    /// present.
    private func provisional(
        unknown: Range<UnixSecond>?, at second: UnixSecond
    ) -> (decoder: LineDecoder, left: [LineStay]) {
        var copy = self
        var left: [LineStay] = []
        let present = last.isKnown ? presence.present : last
        for ahead in 1...LevelHistory.reach {
            copy.history.add(present)
            let scored = second.advanced(by: ahead - LevelHistory.reach)
            left += copy.score(at: scored, unknown: unknown)
        }
        return (copy.decoder, left)
    }

    /// The tag at present: the probability that it is in line, and its stays.
    func view(unknown: Range<UnixSecond>?, at second: UnixSecond) -> TrackView {
        let (ahead, left) = provisional(unknown: unknown, at: second)
        return view(ahead, left, at: second)
    }

    // Inlined, it makes the optimiser of Swift 6.3.1 fail.
    @inline(never)
    private func view(
        _ ahead: LineDecoder, _ left: [LineStay], at second: UnixSecond
    ) -> TrackView {
        let age = ahead.mayHaveJoined.map { second.next - $0.second } ?? .zero
        let probability = PresenceModel.fitted.probability(
            presence, ahead: ahead, behind: decoder, age: age, seen: seen)
        return TrackView(
            probability: probability, decoder: ahead, left: left, came: second - seen,
            isNear: presence.isNear, second: second)
    }

    /// The tag has gone.
    mutating func finish() -> [LineStay] {
        defer {
            history = .silent
            last = LevelHistory.Sample()
            presence = .silent
            seen = .zero
        }
        return decoder.finish()
    }

    private mutating func score(
        at second: UnixSecond, unknown: Range<UnixSecond>?
    ) -> [LineStay] {
        // A second without knowledge has no scores: no edge can be found in it.
        guard history[0].isKnown else { return [] }
        var scores = LineScores(history)
        if let unknown, unknown.upperBound == second, unknown.count > HeldLevel.held {
            scores = scores.afterUnseen
        }
        return decoder.on(
            scores, at: EdgeDate(second, unknown: unknown), till: history[0].loudestTill)
    }
}

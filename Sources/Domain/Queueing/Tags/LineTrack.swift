/// One tag at one queue: its levels, and the decoder of its stays.
struct LineTrack {
    private var history = LevelHistory()
    private var ownEntry = OwnLevel()
    private var ownTill = OwnLevel()
    private(set) var decoder = LineDecoder()
    private var last = LevelHistory.Sample()

    private static let longestUnknown = 600

    /// Adds the next second.
    ///
    /// - Parameters:
    ///   - levels: `nil` where a role did not hear.
    ///   - unknown: the latest seconds in which a role did not hear.
    /// - Returns: the stays that are now final.
    mutating func on(
        _ levels: RoleLevels?, unknown: Range<Int64>?, at second: Int64
    ) -> [LineStay] {
        if let levels {
            ownEntry.follow(levels.entry)
            ownTill.follow(levels.till)
            last = LevelHistory.Sample(
                entry: levels.entry, till: levels.till, louder: levels.louder,
                ownEntry: ownEntry.value, ownTill: ownTill.value)
        } else {
            last.isKnown = false
            // After so long a stay can't be continued: the tag may have left and come again.
            if unknown?.count == Self.longestUnknown { return finish() }
        }
        history.add(last)
        return score(at: second - Int64(LevelHistory.reach), unknown: unknown)
    }

    /// The decoder after twelve seconds more at the present levels: an estimate of the present.
    func provisional(unknown: Range<Int64>?, at second: Int64) -> LineDecoder {
        var copy = self
        for ahead in 1...Int64(LevelHistory.reach) {
            copy.history.add(copy.last)
            _ = copy.score(at: second + ahead - Int64(LevelHistory.reach), unknown: unknown)
        }
        return copy.decoder
    }

    /// The tag has gone.
    mutating func finish() -> [LineStay] {
        defer {
            history = LevelHistory()
            last = LevelHistory.Sample()
        }
        return decoder.finish()
    }

    private mutating func score(at second: Int64, unknown: Range<Int64>?) -> [LineStay] {
        // A second without knowledge has no scores: no edge can be found in it.
        guard history[0].isKnown else { return [] }
        var scores = LineScores(history)
        if let unknown, unknown.upperBound == second, unknown.count > HeldLevel.heldSeconds {
            scores = scores.afterUnseen
        }
        return decoder.on(scores, at: EdgeDate(second, unknown: unknown))
    }
}

/// The levels of one tag at the roles of a queue, in decibels above the close level.
struct RoleLevels: Equatable {
    let entry: Double
    let till: Double
    /// Also of gateways along the line.
    let louder: Double
}

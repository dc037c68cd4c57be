/// One tag at one queue: its levels, and the decoder of its stays.
struct LineTrack {
    private var history = LevelHistory()
    private var ownEntry = OwnLevel()
    private var ownTill = OwnLevel()
    private(set) var decoder = LineDecoder()
    /// The latest seconds without knowledge.
    private var unknown: Range<Int64>?
    private var last = LevelHistory.Sample()

    private static let longestUnknown = 600

    /// Adds the next second.
    ///
    /// - Parameter levels: `nil` where a role did not hear.
    /// - Returns: the stays that are now final.
    mutating func on(_ levels: RoleLevels?, at second: Int64) -> [LineStay] {
        if let levels {
            ownEntry.follow(levels.entry)
            ownTill.follow(levels.till)
            last = LevelHistory.Sample(
                entry: levels.entry, till: levels.till, louder: levels.louder,
                ownEntry: ownEntry.value, ownTill: ownTill.value)
        } else {
            last.isKnown = false
            let start = unknown.flatMap { $0.upperBound == second ? $0.lowerBound : nil }
            let stretch = (start ?? second)..<second + 1
            unknown = stretch
            // After so long a stay can't be continued: the tag may have left and come again.
            if stretch.count == Self.longestUnknown { return finish() }
        }
        history.add(last)
        return score(at: second - Int64(LevelHistory.reach))
    }

    /// The decoder after twelve seconds more at the present levels: an estimate of the present.
    func provisional(at second: Int64) -> LineDecoder {
        var copy = self
        for ahead in 1...Int64(LevelHistory.reach) {
            copy.history.add(copy.last)
            _ = copy.score(at: second + ahead - Int64(LevelHistory.reach))
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

    private mutating func score(at second: Int64) -> [LineStay] {
        // A second without knowledge has no scores: no edge can be found in it.
        guard history[0].isKnown else { return [] }
        return decoder.on(LineScores(history), at: EdgeDate(second, unknown: unknown))
    }
}

/// The levels of one tag at the roles of a queue, in decibels above the close level.
struct RoleLevels: Equatable {
    let entry: Double
    let till: Double
    /// Also of gateways along the line.
    let louder: Double
}

import Facts

/// The levels of one tag at one queue over the last 25 seconds: 12 before a second and 12 after it.
struct LevelHistory {
    /// One second of the tag at the queue.
    struct Sample: Equatable {
        /// Decibels above the close level. `loudest` includes gateways along the line.
        var entry = HoldFilter.floor
        var till = HoldFilter.floor
        var loudest = HoldFilter.floor
        var ownEntry = OwnLevel().value
        var ownTill = OwnLevel().value
        /// The loudest gateway of the tills, among those of the queue.
        var loudestTill = TillIndex(0)
        /// The second of the tag's last report; `nil` if it is this one.
        var lastHeard: UnixSecond?
        /// Whether both roles had a hearing gateway.
        var isKnown = true

        fileprivate mutating func sink(by decibels: Double) {
            entry = max(HoldFilter.floor, entry - decibels)
            till = max(HoldFilter.floor, till - decibels)
            loudest = max(HoldFilter.floor, loudest - decibels)
        }
    }

    /// One storage for all tags that are away.
    static let silent = LevelHistory()

    /// Seconds before and after the second that is scored.
    static let reach = 12
    private static let length = 2 * reach + 1

    /// A ring; `newest` is the index of the last sample.
    private var samples = [Sample](repeating: Sample(), count: Self.length)
    private var newest = 0

    mutating func add(_ sample: Sample) {
        newest = newest + 1 == Self.length ? 0 : newest + 1
        samples[newest] = sample
    }

    /// The same if the tag had gone after the scored second: the levels sink as those of a silent tag.
    var withoutReturn: LevelHistory {
        var copy = self
        for offset in 1...Self.reach {
            var sample = self[0]
            sample.sink(by: Double(offset) * HoldFilter.sink)
            copy.samples[index(offset)] = sample
        }
        return copy
    }

    /// The sample `offset` seconds from the scored one: −12 to 12.
    subscript(offset: Int) -> Sample { samples[index(offset)] }

    private func index(_ offset: Int) -> Int {
        let index = newest - Self.reach + offset
        return index < 0 ? index + Self.length : index
    }
}

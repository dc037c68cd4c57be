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

    /// The sample `offset` seconds from the scored one: −12 to 12.
    subscript(offset: Int) -> Sample {
        let index = newest - Self.reach + offset
        return samples[index < 0 ? index + Self.length : index]
    }
}

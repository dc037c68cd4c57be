/// The usual level of one tag at one role of a queue, in decibels above the close level: a running median by small steps.
///
/// After `s` seconds, 600 at most, the value moves towards the level by `4.5 / s` dB, and by less within one decibel.
///
/// A tag that is worn badly, or that stays near the gateways all day, shows in its own level. Seconds in which the tag is away
/// do not count: how long a tag is heard from afar depends on the store.
struct OwnLevel {
    /// It begins at a usual level. This value and the constants are chosen.
    private(set) var value = -20.0
    private var seconds = 0.0

    /// Decibels.
    private static let step = 4.5
    /// Seconds.
    private static let longest = 600.0

    mutating func follow(_ level: Double) {
        seconds = min(seconds + 1, Self.longest)
        let difference = level - value
        let length = min(1, difference.magnitude) * Self.step / seconds
        value += difference < 0 ? -length : length
    }
}

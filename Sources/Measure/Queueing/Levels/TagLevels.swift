/// The level of a tag at a gateway, in decibels above the close level, second by second.
///
/// A short gap keeps the last value, since reports are lost. Then the level sinks by 2 dB a second to the floor: the tag
/// is gone.
struct HoldFilter {
    /// Tags of which nothing is heard have this level.
    static let floor = -36.0
    /// Above the close level, a peak still shows how near the tag passes.
    private static let ceiling = 12.0
    /// The number of seconds of the grid for which the value is kept.
    static let held = 4
    /// Decibels a second.
    static let sink = 2.0

    private(set) var value = Self.floor
    /// Seconds of the grid without a report.
    private var silence = 0

    /// - Parameter level: `nil` in a second without a report.
    mutating func hear(_ level: Double?) {
        if let level {
            value = min(max(level, Self.floor), Self.ceiling)
            silence = 0
        } else {
            silence += 1
            if silence > Self.held { value = max(Self.floor, value - Self.sink) }
        }
    }
}

/// The loudest second of a tag at a gateway: it stands for how near the tag came.
///
/// People pass the entry in a second or two, or stand beside it for minutes if the line is long. The power at the nearest point
/// is nearly the same for both, and no other one is.
struct PeakLevel {
    private var loudest = -Double.infinity
    private var seconds = 0

    /// A tag that is heard in fewer seconds shows no peak.
    private static let least = 6

    mutating func note(_ power: Double) {
        loudest = max(loudest, power)
        seconds += 1
    }

    /// dBm; `nil` where the tag was heard in fewer than six seconds.
    var power: Double? { seconds >= Self.least ? loudest : nil }
}

/// The usual level of one tag at one role of a queue, in decibels above the close level: a running median by small steps.
///
/// After `s` seconds, 600 at most, the value moves towards the level by `4.5 / s` dB, and by less within one decibel.
///
/// A tag that is worn badly, or that stays near the gateways all day, shows in its own level. Seconds in which the tag is away
/// do not count: how long a tag is heard from afar depends on the store.
struct OwnLevel: Equatable {
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

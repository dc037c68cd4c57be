/// The level of a tag at a gateway, in decibels above the close level, second by second.
///
/// A short gap keeps the last value, since reports are lost. Then the level sinks by 2 dB a second to the floor: the tag
/// is gone.
struct HeldLevel {
    /// Tags of which nothing is heard have this level.
    static let floor = -36.0
    /// Above the close level, a peak still shows how near the tag passes.
    private static let ceiling = 12.0
    /// The value is kept for so many seconds of the grid.
    static let held = 4
    /// Decibels a second.
    private static let sink = 2.0

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

/// The time from one advertisement to the next, in the unit in which controllers count it.
///
/// The radio adds up to 10 ms to each by itself, so that two beacons don't collide for ever (Core 5.4 Vol 6 Part B 4.4.2.2).
package struct AdvertisingInterval: Equatable, Sendable {
    /// Units of 0.625 ms; 0x0020 to 0x4000 (Core 5.4 Vol 4 Part E 7.8.5).
    package let units: UInt16

    private static let allowed = 20...10_240

    /// 100 ms, as Apple's specification has it.
    package static let usual = AdvertisingInterval(units: 0xa0)

    private init(units: UInt16) { self.units = units }

    /// The nearest interval to so many milliseconds; `nil` below 20 and above 10,240.
    package init?(milliseconds: Int) {
        guard Self.allowed.contains(milliseconds) else { return nil }
        // 0.625 ms are 5/8 ms; half a unit more rounds to the nearest.
        units = UInt16((milliseconds * 16 + 5) / 10)
    }

    /// What it comes to.
    package var milliseconds: Double { Double(units) * 0.625 }
}

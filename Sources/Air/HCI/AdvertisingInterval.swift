/// The time between two advertisements, in the controller's unit.
///
/// The controller adds up to 10 ms to each interval, so that two beacons collide only by chance (Core 5.4 Vol 6 Part B
/// 4.4.2.2).
package struct AdvertisingInterval: Equatable, Sendable {
    /// Units of 0.625 ms; 0x0020 to 0x4000 (Core 5.4 Vol 4 Part E 7.8.5).
    package let units: UInt16

    private static let allowed = 20...10_240

    /// 100 ms, as in Apple's specification.
    package static let usual = AdvertisingInterval(units: 0xa0)

    private init(units: UInt16) { self.units = units }

    /// The nearest interval to a number of milliseconds; `nil` below 20 and above 10,240.
    package init?(milliseconds: Int) {
        guard Self.allowed.contains(milliseconds) else { return nil }
        // A unit is 5/8 ms. Adding half a unit rounds to the nearest.
        units = UInt16((milliseconds * 16 + 5) / 10)
    }

    /// The interval of a number of units; `nil` below 20 ms and above 10,240 ms.
    package init?(rawUnits units: UInt16) {
        guard (0x0020...0x4000).contains(units) else { return nil }
        self.units = units
    }

    /// The interval in milliseconds.
    package var milliseconds: Double { Double(units) * 0.625 }
}

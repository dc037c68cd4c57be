import Beacons
import Primitives

/// A row of the registry: one beacon, or the beacons of a range of minor numbers.
package struct RegisteredBeacon: Equatable, Sendable {
    /// Whose a beacon is, or where it stays.
    package enum Kind: String, CaseIterable, Sendable {
        /// It stays in its place.
        case fixed
        /// A gateway advertises it.
        case gateway
        case staff
        /// On a thing that moves.
        case asset
        case visitor

        /// Whether its silence is a fault. Staff and visitors go home.
        package var isExpected: Bool { self == .fixed || self == .gateway || self == .asset }

        /// Whether it stays in a place, so that another one is a fault.
        var hasPlace: Bool { self == .fixed || self == .gateway }

        /// Whether a row of this kind may have a range of minor numbers.
        var mayBeRange: Bool { self == .staff || self == .visitor }
    }

    /// In metres.
    package struct Place: Equatable, Sendable {
        package let x: Double
        package let y: Double
        package let z: Double?
    }

    /// The line of the file, counted from 1.
    package let line: Int
    package let uuid: ProximityUUID
    package let major: UInt16
    package let minors: ClosedRange<UInt16>
    package let kind: Kind
    package let name: String?
    package let zone: String?
    package let place: Place?
    package let intervalMs: Int?
    package let measuredPower: Int8?
    /// Whether it sends Eddystone-TLM.
    package let telemetry: Bool?
    /// The dates from which and until which the row holds, both included: 2026-11-28.
    package let since: String?
    package let until: String?

    /// The identity of a single beacon; `nil` of a range.
    package var identity: BeaconIdentity? {
        minors.count > 1
            ? nil : BeaconIdentity(uuid: uuid, major: major, minor: minors.lowerBound)
    }

    /// Whether the row holds on a date.
    package func holds(on date: String) -> Bool {
        (since.map { $0 <= date } ?? true) && (until.map { date <= $0 } ?? true)
    }

    /// Whether it is of all minor numbers of its major that no other row has.
    package var isOfOthers: Bool { minors == 0...UInt16.max }

    /// Whether both rows are of one beacon on a date.
    func overlaps(_ other: RegisteredBeacon) -> Bool {
        guard isOfOthers == other.isOfOthers else { return false }
        let isLater = until.flatMap { until in other.since.map { until < $0 } } ?? false
        let isEarlier = since.flatMap { since in other.until.map { $0 < since } } ?? false
        return minors.overlaps(other.minors) && !isLater && !isEarlier
    }

    /// `UUID/MAJOR/MINOR`; of a range, `UUID/MAJOR/1-200` or `UUID/MAJOR/*`.
    package var label: String { "\(uuid)/\(major)/\(minorText)" }

    package var minorText: String {
        if isOfOthers { return "*" }
        return minors.count > 1
            ? "\(minors.lowerBound)-\(minors.upperBound)" : "\(minors.lowerBound)"
    }
}

import Beacons
import Primitives

/// A proposal of numbers: each zone has a major number of its own, and each beacon in it the next free minor number.
package struct RegistryPlan: Equatable, Sendable {
    package struct Change: Equatable, Sendable {
        package let beacon: RegisteredBeacon
        package let major: UInt16
        package let minor: UInt16
    }

    /// The beacons whose numbers change, in the order of the file.
    package private(set) var changes: [Change] = []
    /// The major number of each zone, in the order of the file.
    package private(set) var majors: [(zone: String, major: UInt16)] = []
    /// Fixed beacons and gateways without a zone: they keep their numbers.
    package private(set) var withoutZone: [RegisteredBeacon] = []
    /// The beacons for which no number is left.
    package private(set) var unplaced: [RegisteredBeacon] = []

    /// - Parameter date: the rows that hold on it are planned.
    package init(_ registry: Registry, on date: String) {
        let rows = registry.beacons.filter { $0.holds(on: date) }
        let isPlanned = { (beacon: RegisteredBeacon) -> Bool in
            (beacon.kind == .fixed || beacon.kind == .gateway) && beacon.identity != nil
        }
        withoutZone = rows.filter { isPlanned($0) && $0.zone == nil }
        let planned = rows.filter { isPlanned($0) && $0.zone != nil }
        let kept = rows.filter { !isPlanned($0) || $0.zone == nil }
        var usedMajors = Set(kept.map(\.major))
        for zone in Self.zones(of: planned) {
            let beacons = planned.filter { $0.zone == zone }
            let votes = Dictionary(grouping: beacons, by: \.major)
                .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
            let majors = votes.map(\.key) + Array(1...UInt16.max)
            guard let major = majors.first(where: { !usedMajors.contains($0) }) else {
                unplaced += beacons
                continue
            }
            usedMajors.insert(major)
            self.majors.append((zone, major))
            number(beacons, under: major)
        }
        changes.sort { $0.beacon.line < $1.beacon.line }
    }

    private static func zones(of beacons: [RegisteredBeacon]) -> [String] {
        var seen: Set<String> = []
        return beacons.compactMap(\.zone).filter { seen.insert($0).inserted }
    }

    /// A beacon keeps its minor number, unless one before it has the same.
    private mutating func number(_ beacons: [RegisteredBeacon], under major: UInt16) {
        var used: Set<UInt16> = []
        var others: [RegisteredBeacon] = []
        for beacon in beacons {
            let minor = beacon.minors.lowerBound
            guard used.insert(minor).inserted else {
                others.append(beacon)
                continue
            }
            if beacon.major != major {
                changes.append(Change(beacon: beacon, major: major, minor: minor))
            }
        }
        var next: UInt16 = 1
        for beacon in others {
            while used.contains(next), next < .max { next += 1 }
            guard used.insert(next).inserted else {
                unplaced.append(beacon)
                continue
            }
            changes.append(Change(beacon: beacon, major: major, minor: next))
        }
    }

    package static func == (left: RegistryPlan, right: RegistryPlan) -> Bool {
        left.changes == right.changes && left.withoutZone == right.withoutZone
            && left.unplaced == right.unplaced
            && left.majors.elementsEqual(right.majors) { $0 == $1 }
    }
}

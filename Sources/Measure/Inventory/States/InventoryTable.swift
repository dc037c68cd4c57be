import Beacons
import Facts
import Primitives

/// The beacons of a registry that are watched on a date, and how messages name them. No person carries one of them.
package struct InventoryTable: Sendable {
    /// A sighting's beacon.
    struct Subject {
        let index: Int
        /// Whether reports of this format are counted: a device may send several.
        let isCounted: Bool
    }

    package struct Entry: Equatable, Sendable {
        package let beacon: RegisteredBeacon
        package let identity: BeaconIdentity
        package let key: Tag
        /// Whether the registry says that it is in use no more.
        package let isRetired: Bool
        /// Its place may have changed on this day: hours before its end teach nothing. Hours since the epoch.
        let learnsFrom: Int
        /// The reports that one device can send in a minute.
        let limit: Int?

        /// `UUID/MAJOR/MINOR`: its name in topics and paths.
        package var item: String { beacon.label }
        package var name: String { beacon.name ?? item }
    }

    package private(set) var entries: [Entry] = []
    private var subjects: [Tag: Subject] = [:]
    /// The beacons whose silence is a fault.
    private(set) var expected = 0

    /// - Parameter date: of the site, such as 2026-11-28.
    package init(_ registry: Registry, on date: String) {
        var places: [BeaconIdentity: Int] = [:]
        for beacon in registry.beacons where beacon.kind.isExpected {
            guard let identity = beacon.identity, beacon.since.map({ $0 <= date }) ?? true else {
                continue
            }
            // Of several rows of one beacon, the last one that has begun counts.
            let entry = Entry(beacon, identity, isRetired: !beacon.holds(on: date))
            if let place = places[identity] {
                if (entries[place].beacon.since ?? "") <= (beacon.since ?? "") {
                    entries[place] = entry
                }
            } else {
                places[identity] = entries.count
                entries.append(entry)
            }
        }
        for (index, entry) in entries.enumerated() where !entry.isRetired {
            for format in BeaconIdentity.Format.allCases {
                let isCounted = format == .iBeacon
                subjects[Tag(entry.identity.translated(to: format))] = Subject(
                    index: index, isCounted: isCounted)
            }
        }
        expected = entries.count { !$0.isRetired }
    }

    subscript(tag: Tag) -> Subject? { subjects[tag] }

    /// The beacon of a tag, by the tag of any of its formats.
    package subscript(entry tag: Tag) -> Entry? { subjects[tag].map { entries[$0.index] } }

    /// The tag of a heard beacon that is watched.
    package func tag(of identity: BeaconIdentity) -> Tag? {
        let tag = Tag(identity)
        return subjects[tag] == nil ? nil : tag
    }
}

extension InventoryTable.Entry {
    fileprivate init(_ beacon: RegisteredBeacon, _ identity: BeaconIdentity, isRetired: Bool) {
        self.beacon = beacon
        self.identity = identity
        self.isRetired = isRetired
        key = Tag(identity)
        learnsFrom = beacon.since.flatMap(UnixSecond.init(endOf:)).map { $0.hour } ?? 0
        // A tenth for its clock, and one at the border.
        limit = beacon.intervalMs.map { 66_000 / $0 + 1 }
    }
}

extension UnixSecond {
    /// Hours since the epoch.
    var hour: Int { UnixSecond(0).distance(to: self) / 3600 }

    /// The end of a date, in UTC (Hinnant's days_from_civil).
    fileprivate init?(endOf date: String) {
        let parts = date.split(separator: "-").compactMap { Int64($0) }
        guard parts.count == 3 else { return nil }
        let year = parts[1] <= 2 ? parts[0] - 1 : parts[0]
        let era = year / 400
        let yearOfEra = year - era * 400
        let month = (parts[1] + 9) % 12
        let dayOfYear = (153 * month + 2) / 5 + parts[2] - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        self.init((days - 719_468 + 1) * 86_400)
    }
}

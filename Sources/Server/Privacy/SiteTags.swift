import Beacons
import Facts
import Posix
import Primitives
import Queueing

/// The pseudonyms of a site's visitors: of its day, and of later ones for windows that come before it is closed.
struct SiteTags {
    private let site: String
    private let kinds: BeaconKinds
    private let keys: DayKeys
    private var day: LocalDay
    private var today: Pseudonyms
    private var later: [(day: LocalDay, pseudonyms: Pseudonyms)] = []

    /// After a long absence, gateways may have windows of several days.
    private static let mostLater = 16

    init(_ layout: SiteLayout, _ keys: DayKeys, _ day: LocalDay) {
        site = layout.site
        kinds = layout.beacons
        self.keys = keys
        self.day = day
        today = Pseudonyms(key: [])
        begin(day)
    }

    mutating func tag(_ identity: BeaconIdentity, at start: UnixTime) -> Tag? {
        guard kinds.kind(of: identity) == .visitor else { return nil }
        guard start >= day.span.upperBound else { return today.tag(identity) }
        if let index = later.firstIndex(where: { $0.day.span.contains(start) }) {
            return later[index].pseudonyms.tag(identity)
        }
        let day = LocalDay(containing: start)
        if later.count == Self.mostLater { later.removeFirst() }
        later.append((day, pseudonyms(of: day)))
        return later[later.count - 1].pseudonyms.tag(identity)
    }

    /// Begins a day.
    mutating func begin(_ day: LocalDay) {
        self.day = day
        today = later.first { $0.day == day }?.pseudonyms ?? pseudonyms(of: day)
        later = []
    }

    private func pseudonyms(of day: LocalDay) -> Pseudonyms {
        Pseudonyms(key: keys.key(of: site, day))
    }
}

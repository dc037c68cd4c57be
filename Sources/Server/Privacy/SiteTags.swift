import Beacons
import Facts
import Posix
import Primitives
import Queueing

/// The pseudonyms of a site's visitors: of its day, of later ones for windows that come before it is closed, and of earlier ones that
/// are not closed, since the time is not sure.
struct SiteTags {
    private let site: String
    private let kinds: BeaconKinds
    private let keys: DayKeys
    private var day: LocalDay
    private var today: Pseudonyms
    private var others: [(day: LocalDay, pseudonyms: Pseudonyms)] = []

    /// After a long absence, gateways may have windows of several days.
    private static let mostOthers = 16

    init(_ layout: SiteLayout, _ keys: DayKeys, _ day: LocalDay) {
        site = layout.site
        kinds = layout.beacons
        self.keys = keys
        self.day = day
        today = Pseudonyms(key: [])
        begin(day)
    }

    /// - Parameter open: days before the running one are not closed from here on.
    mutating func tag(
        _ identity: BeaconIdentity, at start: UnixTime, open: UnixTime? = nil
    ) -> Tag? {
        guard kinds.kind(of: identity) == .visitor else { return nil }
        guard let index = other(at: start, open: open) else { return today.tag(identity) }
        return others[index].pseudonyms.tag(identity)
    }

    /// Makes the key of the day of a window: a day with windows in the store has a key, even if no visitor was near.
    mutating func prepare(at start: UnixTime, open: UnixTime?) {
        _ = other(at: start, open: open)
    }

    /// The index of the day in `others`; `nil` for the running day, and for a closed one.
    private mutating func other(at start: UnixTime, open: UnixTime?) -> Int? {
        let first = min(open ?? .max, day.span.lowerBound)
        guard start >= first, !day.span.contains(start) else { return nil }
        if let index = others.firstIndex(where: { $0.day.span.contains(start) }) { return index }
        let day = LocalDay(containing: start)
        if others.count == Self.mostOthers { others.removeFirst() }
        others.append((day, pseudonyms(of: day)))
        return others.count - 1
    }

    /// Begins a day.
    mutating func begin(_ day: LocalDay) {
        self.day = day
        today = others.first { $0.day == day }?.pseudonyms ?? pseudonyms(of: day)
        others = []
    }

    private func pseudonyms(of day: LocalDay) -> Pseudonyms {
        Pseudonyms(
            key: keys.key(of: site, day, isOpen: day.span.lowerBound >= self.day.span.lowerBound))
    }
}

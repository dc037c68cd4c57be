import Beacons
import Posix
import Primitives
import Queueing

/// The pseudonyms of a site's visitors: of its day, and of the next one for windows that come early.
struct SiteTags {
    private let site: String
    private let kinds: BeaconKinds
    private let keys: DayKeys
    private var day: LocalDay
    private var today: Pseudonyms
    private var tomorrow: Pseudonyms?
    /// Why a key is in memory only: after a restart, beacons would have other pseudonyms.
    private(set) var fault: Errno?

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
        if tomorrow == nil { tomorrow = pseudonyms(of: next) }
        return tomorrow?.tag(identity)
    }

    /// Begins a day, and destroys the keys of the days before.
    mutating func begin(_ day: LocalDay) {
        self.day = day
        today = pseudonyms(of: day)
        tomorrow = nil
        _ = keys.destroy(of: site, except: [day, next])
    }

    private var next: LocalDay { LocalDay(containing: day.span.upperBound) }

    private mutating func pseudonyms(of day: LocalDay) -> Pseudonyms {
        do throws(Errno) {
            let key = try keys.key(of: site, day)
            fault = nil
            return Pseudonyms(key: key)
        } catch {
            fault = error
            return Pseudonyms(key: keys.newKey())
        }
    }
}

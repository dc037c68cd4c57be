import Beacons
import Contract
import Facts
import Primitives
import Queueing
import Regions
import ResultStore
import Subscriber

/// The regions of a site: its messages become windows of their gateways, and their beacons events.
///
/// Unlike queues, regions go on over the end of a day: the beacons of persons have another pseudonym then, and the others stay.
/// Their windows are not stored. After a restart, regions begin anew.
struct SiteRegions: SiteMeasurement {
    let layout: SiteLayout
    private var table: RegionTable
    private(set) var estimator: RegionEstimator
    /// Whether events of persons are published and stored.
    private let keepsPersons: Bool

    /// In one call, each fold folds so much at most: the loop must not wait.
    private static let part = Duration.seconds(10)
    /// The most by which a gateway's clock is ahead.
    private static let clockDifference = Duration.seconds(60)

    /// `nil` for a site without regions.
    init?(_ layout: SiteLayout, allowedLateness: Duration, keepsPersons: Bool) {
        guard !layout.regions.isEmpty else { return nil }
        self.layout = layout
        self.keepsPersons = keepsPersons
        table = RegionTable(layout)
        estimator = RegionEstimator(table, allowedLateness: allowedLateness)
    }

    func isLike(_ former: SiteRegions, at wall: UnixTime) -> Bool {
        // If a window is further in the future than gateways' clocks differ, the clock has stepped back since.
        let isAhead = former.estimator.newest.map { $0 - wall > Self.clockDifference } ?? false
        return layout.regions == former.layout.regions && layout.beacons == former.layout.beacons
            && keepsPersons == former.keepsPersons && !isAhead
    }

    mutating func takeOver(_ former: SiteRegions) { estimator = former.estimator }

    mutating func take(
        _ message: SightingsMessage, in parts: [Range<UnixTime>], from gateway: String,
        notBefore bound: UnixTime, sharing readings: inout PackedReadings?,
        pseudonym: (BeaconIdentity, Range<UnixTime>) -> Tag?
    ) -> FactOutcome? {
        guard table.gateways.contains(gateway) else { return .foreign }
        guard message.windowEnd >= bound else { return .late }
        var heard: [Tag: RegionTable.Subject] = [:]
        let facts = parts.compactMap { part in
            WindowFact(message, acceptsUnsynced: layout.acceptsUnsyncedClocks, in: part) {
                guard let subject = table.subject($0),
                    let tag = subject.identity.map(Tag.init) ?? pseudonym($0, part)
                else { return nil }
                heard[tag] = subject
                return tag
            }
        }
        return WindowFact(joining: facts).map {
            estimator.take($0.sharing(&readings), from: gateway, heard: heard)
        }
    }

    /// Takes the events of an earlier run: beacons that were in a region may still be there.
    ///
    /// - Parameter events: in the order of their decisions.
    mutating func restore(_ events: [StoreBatch.RegionEvent]) {
        guard estimator.isNew else { return }
        for state in StoredPresences(events).inside {
            let region = table.layouts.firstIndex { $0.name == state.region }
            guard let region, let kind = state.kind else { continue }
            estimator.restore(
                state.tag, table.subject(of: state.tag, kind, in: region), in: state.region,
                wasUnknown: state.isUnknown, at: state.decided)
        }
    }

    var isBehind: Bool { estimator.isBehind }

    mutating func advance(through second: UnixSecond) -> Site.Results {
        let publications = estimator.advance(through: second, atMost: Self.part)
        let events = publications.compactMap { publication -> RegionEventResult? in
            guard let subject = estimator.subject(of: publication.event.tag),
                keepsPersons || subject.identity != nil
            else { return nil }
            return RegionEventResult(
                site: layout.site, publication.event, of: subject,
                isWithdrawn: publication.isWithdrawn, revision: publication.revision)
        }
        return Site.Results(regionEvents: events)
    }

    func states(
        absences: [String: QueueNow.Reason.Cause], isDurable: Bool
    ) -> [PresentState] {
        estimator.now.map { now in
            let now = now.explained(by: absences)
            return PresentState(now.region) { [layout] rev in
                RegionResult(site: layout.site, now, rev: rev, isDurable: isDurable)
            }
        }
    }
}

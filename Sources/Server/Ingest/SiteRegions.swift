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
struct SiteRegions {
    private let layout: SiteLayout
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

    /// Whether both have the same regions and kinds of beacons.
    func isLike(_ other: SiteRegions) -> Bool {
        layout.regions == other.layout.regions && layout.beacons == other.layout.beacons
            && keepsPersons == other.keepsPersons
    }

    /// Whether a window is further in the future than gateways' clocks differ: the clock has stepped back since.
    func isAhead(of wall: UnixTime) -> Bool {
        estimator.newest.map { $0 - wall > Self.clockDifference } ?? false
    }

    /// Takes a message of a gateway.
    ///
    /// - Parameters:
    ///   - parts: the parts of its window, of one day each.
    ///   - bound: a window that ends before it is late, also after a restart.
    ///   - pseudonym: the tag of a person's beacon in a part; `nil` if the day of the part is closed.
    /// - Returns: `nil` if its times are impossible.
    mutating func take(
        _ message: SightingsMessage, in parts: [Range<UnixTime>], from gateway: String,
        notBefore bound: UnixTime, pseudonym: (BeaconIdentity, Range<UnixTime>) -> Tag?
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
        return WindowFact(joining: facts).map { estimator.take($0, from: gateway, heard: heard) }
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
                state.tag,
                RegionTable.Subject(regions: [region], kind: kind, identity: nil),
                in: state.region, at: state.decided)
        }
    }

    /// Whether another call of `advance` has something to do at once.
    var isBehind: Bool { estimator.isBehind }

    /// Folds up to the present: a part of it.
    mutating func advance(through second: UnixSecond) -> [RegionEventResult] {
        estimator.advance(through: second, atMost: Self.part).compactMap { publication in
            guard let subject = estimator.subject(of: publication.event.tag),
                keepsPersons || subject.identity != nil
            else { return nil }
            return RegionEventResult(
                site: layout.site, publication.event, of: subject,
                isWithdrawn: publication.isWithdrawn)
        }
    }

    /// The present state of each region.
    ///
    /// - Parameter absences: why windows of these gateways are missing.
    func now(absences: [String: QueueNow.Reason.Cause]) -> [RegionNow] {
        estimator.now.map { $0.explained(by: absences) }
    }
}

import Beacons
import Contract
import Facts
import JSON
import Primitives
import Queueing
import Regions
import Results

/// The regions of all sites of a configuration, and the counts of the input.
struct RegionsRun: RecordedRun {
    private struct Site {
        let layout: SiteLayout
        var table: RegionTable
        var estimator: RegionEstimator
        /// The minute of the newest window: events follow once a minute.
        var minute: UnixSecond = 0
    }

    private var sites: [Site]
    /// The beacon that is shown alone; `nil` for all.
    private let beacon: BeaconIdentity?
    var counts = InputSummary()

    init(
        _ configuration: QueueConfiguration, beacon: BeaconIdentity?,
        allowedLateness: Duration? = nil
    ) {
        sites = configuration.sites.map { layout in
            let table = RegionTable(layout)
            return Site(
                layout: layout, table: table,
                estimator: RegionEstimator(
                    table, allowedLateness: allowedLateness ?? .seconds(3600)))
        }
        self.beacon = beacon
    }

    /// Whether a site of the configuration has a region.
    var hasRegions: Bool { sites.contains { !$0.layout.regions.isEmpty } }

    mutating func take(_ message: SightingsMessage, from topics: Topics?) -> String? {
        let (name, gateway) = (topics?.site ?? message.site, topics?.gateway ?? message.gateway)
        guard let index = sites.firstIndex(where: { $0.layout.site == name }) else {
            counts.note(.foreign, of: "\(name)/\(gateway)")
            return nil
        }
        var heard: [Tag: RegionTable.Subject] = [:]
        let layout = sites[index].layout
        let window = WindowFact(message, acceptsUnsynced: layout.acceptsUnsyncedClocks) {
            identity in
            guard let subject = sites[index].table.subject(identity) else { return nil }
            let tag = Tag(identity)
            heard[tag] = subject
            return tag
        }
        guard let window else { return fault("/window: its times are impossible") }
        counts.note(
            sites[index].estimator.take(window, from: gateway, heard: heard),
            of: "\(name)/\(gateway)")
        return nil
    }

    /// The events that later messages can't change: they, and the windows that they follow from, have no place in memory.
    mutating func advance() -> [JSON] {
        sites.indices.flatMap { index -> [JSON] in
            guard let newest = sites[index].estimator.newest else { return [] }
            let minute = UnixSecond(containing: newest).floored(to: .seconds(60))
            guard minute > sites[index].minute else { return [] }
            sites[index].minute = minute
            return sites[index].estimator.settle().compactMap { json($0, index) }
        }
    }

    /// Writes all other events, what is known of the beacon or of the regions at the end, and the summary.
    mutating func finish(_ write: (JSON) -> Void) {
        for index in sites.indices {
            let events = sites[index].estimator.finish()
            events.compactMap { json($0, index) }.forEach(write)
            let site = sites[index].layout.site
            if let beacon {
                sites[index].estimator.presences(of: Tag(beacon))
                    .map { $0.json(site: site, beacon: beacon) }.forEach(write)
            } else {
                sites[index].estimator.now
                    .map { RegionResult(site: site, $0, rev: 0, isDurable: true).json }
                    .forEach(write)
            }
        }
        write(.object([.init("v", 1), .init("kind", "summary")] + counts.members))
    }

    private func json(_ publication: RegionEstimator.Publication, _ index: Int) -> JSON? {
        let event = publication.event
        guard beacon.map({ Tag($0) == event.tag }) ?? true,
            let subject = sites[index].estimator.subject(of: event.tag)
        else { return nil }
        return RegionEventResult(
            site: sites[index].layout.site, event, of: subject,
            isWithdrawn: publication.isWithdrawn, revision: publication.revision
        ).json
    }
}

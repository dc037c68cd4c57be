import JSON
import Logging
import Posix
import Primitives
import Queueing
import ServerConfiguration
import Store

/// Brings a site to where it was: it folds the windows of the running day again.
///
/// If the server was stopped at the end of a day, it first closes that day, whose levels the next one begins with.
struct SiteRecovery {
    private let store: Store
    private let log: Log
    private let allowedLatenessMs: Int64
    private let keepsVisits: Bool
    private let keys: DayKeys

    init(_ configuration: ServerConfiguration, store: Store, keys: DayKeys, log: Log) {
        self.store = store
        self.log = log
        self.keys = keys
        allowedLatenessMs = configuration.allowedLatenessMs
        keepsVisits = configuration.privacy == .day
    }

    func site(_ layout: SiteLayout, wallMs: Int64, at now: Instant) -> SiteService {
        let today = LocalDay(containing: wallMs)
        do throws(StoreFailure) {
            let stored = try store.levels(of: layout.site, at: wallMs)
            let levels =
                stored.flatMap { try? JSON(parsing: $0.levels, maxBytes: 4 << 20) }
                .flatMap { try? LearntLevels($0) } ?? LearntLevels()
            let first = stored.map { LocalDay(containing: $0.day) } ?? today
            let site = service(layout, first, levels, wallMs)
            try replay(into: site)
            if first != today {
                store(site.closeDay(wallMs: wallMs), site, at: now)
                try replay(into: site)
            } else if stored == nil {
                var results = SiteService.Results()
                results.levels = [site.storedLevels]
                store(results, site, at: now)
            }
            return site
        } catch {
            log.error(
                "the day can't be read from the store: it begins again",
                ["site": layout.site, "reason": error])
            return service(layout, today, LearntLevels(), wallMs)
        }
    }

    private func service(
        _ layout: SiteLayout, _ day: LocalDay, _ levels: LearntLevels, _ wallMs: Int64
    ) -> SiteService {
        SiteService(
            layout,
            SiteDay(day, layout, levels: levels, allowedLatenessMs: allowedLatenessMs),
            allowedLatenessMs: allowedLatenessMs, keepsVisits: keepsVisits, keys: keys,
            wallMs: wallMs)
    }

    /// Takes the stored windows and the published minutes of the site's day.
    private func replay(into site: SiteService) throws(StoreFailure) {
        let name = site.layout.site
        let day = site.today.day.span
        var windows = 0
        // Windows of the next day may be stored already, if they came before the day was closed.
        let damaged = try store.facts(
            of: name, in: day.lowerBound..<day.upperBound + SiteDay.closingMs * 2
        ) { gateway, fact in
            windows += 1
            _ = site.take(fact, from: gateway)
        }
        for queue in site.layout.queues {
            for minute in try store.minutes(of: queue.name, at: name, in: day) {
                site.restore(minute, of: queue.name)
            }
            for visit in try store.visits(of: queue.name, at: name, in: day) {
                site.restore(visit: visit, of: queue.name)
            }
        }
        log.info("day read from the store", ["site": name, "windows": windows])
        if damaged > 0 {
            log.error("stored windows are damaged", ["site": name, "count": damaged])
        }
    }

    private func store(_ results: SiteService.Results, _ site: SiteService, at now: Instant) {
        var uncommitted = UncommittedResults()
        uncommitted.add(results, site: site.layout.site)
        var batch = StoreBatch()
        uncommitted.add(to: &batch)
        _ = store.commit(batch, at: now)
    }
}

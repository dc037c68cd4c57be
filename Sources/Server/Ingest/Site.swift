import Beacons
import Contract
import Facts
import JSON
import Posix
import Primitives
import Queueing
import ResultStore
import Results
import Sightings

/// One site: its day, its gateways, and the present state of its queues.
final class Site {
    let layout: SiteLayout
    /// What is beside the layout: zones by labels, and regions of the browser.
    var (zonesOfLabels, edited) = ([String](), EditedRegions())
    private(set) var today: OpenDay
    var gateways: MonitoredGateways
    var states: PresentStates
    private var queues = QueueStates()
    /// Beside that of the queues.
    var measurements: [any SiteMeasurement]
    /// `nil` for a site without a registry.
    var inventory: SiteInventory?
    let store: any ResultStore
    let allowedLateness: Duration
    let keepsVisits: Bool
    var tags: TagPseudonyms
    private var published = PublishedDay()
    private var lacking: Range<UnixTime>?
    /// Names the layout, the kinds of the registry and the program: others find other visits.
    let method: String

    /// What readers and the store have of the day, from this run and from earlier ones.
    private struct PublishedDay {
        var restatements = Restatements()
        var earlier = EarlierResults()
        /// Final visits, by queue.
        var visitCounts: [String: Int] = [:]
        var provisional = ProvisionalMinutes()
        var areLevelsStored = false
    }

    init(
        _ layout: SiteLayout, _ today: OpenDay, allowedLateness: Duration, keepsVisits: Bool,
        keys: DayKeys, store: any ResultStore, wall: UnixTime,
        registries: Registries = Registries()
    ) {
        self.store = store
        self.layout = layout
        self.today = today
        self.allowedLateness = allowedLateness
        self.keepsVisits = keepsVisits
        let bytes = layout.json.bytes + registries.kinds(of: layout.site)
        method = SHA256Digest(of: bytes + Array(Version.full.utf8)).description
        tags = TagPseudonyms(layout, keys, today.day)
        gateways = MonitoredGateways(configured: layout.measuringGateways, wall: wall)
        measurements = Self.measurements(
            of: layout, registries, allowedLateness: allowedLateness, keepsPersons: keepsVisits,
            wall: wall)
        inventory = SiteInventory(layout, registries, wall: wall)
        states = PresentStates(layout, wall: wall)
    }

    /// Takes over what is known of the gateways: the broker does not say it again.
    func inherit(_ former: Site, wall: UnixTime) {
        gateways = former.gateways
        inheritMeasurements(of: former, wall: wall)
        inheritInventory(of: former, wall: wall)
    }

    // MARK: Input

    /// The pseudonym of a beacon in a window that starts at `start`; `nil` for a beacon that is no visitor's.
    func tag(_ identity: BeaconIdentity, at start: UnixTime) -> Tag? {
        tags.tag(identity, at: start)
    }

    /// Whether a message of a gateway shows the time.
    func takesTime(of message: SightingsMessage, from gateway: String) -> Bool {
        (message.clock == .synced || layout.acceptsUnsyncedClocks)
            && layout.measuringGateways.contains(gateway)
    }

    /// The window of a message as facts of one day each: a tag has another pseudonym in each day.
    ///
    /// - Parameter open: days before the running one are not closed from here on.
    /// - Returns: mostly one; none if the window's times are impossible.
    func facts(of message: SightingsMessage, open: UnixTime?) -> [WindowFact] {
        parts(of: message).compactMap { part in
            tags.prepare(at: part.lowerBound, open: open)
            return WindowFact(message, acceptsUnsynced: layout.acceptsUnsyncedClocks, in: part) {
                tags.tag($0, at: part.lowerBound, open: open)
            }
        }
    }

    /// The parts of a message's window, of one day each.
    func parts(of message: SightingsMessage) -> [Range<UnixTime>] {
        let window = message.windowStart..<max(message.windowStart, message.windowEnd)
        let day =
            today.day.span.contains(window.lowerBound)
            ? today.day : LocalDay(containing: window.lowerBound)
        let border = day.span.upperBound
        let isAcross = window.lowerBound < border && border < window.upperBound
        return isAcross ? [window.lowerBound..<border, border..<window.upperBound] : [window]
    }

    /// Takes a window of one day.
    ///
    /// - Returns: `nil` if it must come again.
    func take(_ fact: WindowFact, from gateway: String) -> MessageOutcome? {
        today.take(fact, from: gateway)
    }

    /// Takes a till's own count.
    func take(_ receipt: Receipt, queue: String) -> MessageOutcome {
        let tills = layout.queues.first { $0.name == queue }?.till ?? []
        return tills.contains(receipt.till) ? today.take(receipt, queue: queue) : .foreign
    }

    /// Takes a minute that an earlier run has published.
    func restore(_ minute: StoredMinute, of queue: String) {
        if minute.isFinal {
            published.earlier.add(minute: minute.start, of: queue)
        } else if let document = try? JSON(parsing: minute.document, maxBytes: 1 << 20) {
            published.restatements.restore(document)
        }
    }

    /// Takes the number of visits that an earlier run has published.
    func restore(_ visits: StoreBatch.VisitCount) {
        let isSame = visits.method == method
        published.earlier.add(
            isSame ? .first(visits.count) : .ofStoredWindows, of: visits.queue)
    }

    // MARK: Results

    /// Whether another call of `advance` has something to do at once.
    var isBehind: Bool {
        today.isBehind || !published.provisional.isEmpty
            || measurements.contains(where: \.isBehind) || inventory?.isBehind ?? false
    }

    /// Gives up the memory of windows that the store has, where a fold has more than `bytes` of them.
    func release(before time: UnixTime, ifAbove bytes: Int) {
        today.release(before: time, ifAbove: bytes)
    }

    /// Folds up to the present, and returns what has become final or has changed: a part of it.
    func advance(through second: UnixSecond) -> Results {
        var results = measurements.indices.reduce(Results()) {
            $0 + measurements[$1].advance(through: second)
        }
        inventory?.advance(through: second, to: &results)
        complete()
        // A store that is being replaced has its rows in some seconds.
        try? today.restore(layout.site, from: store)
        add(today.advance(through: second, offline: gateways.offline), to: &results)
        let minutes = published.provisional.next(
            at: second, isFinalNew: !results.minutes.isEmpty, isBehind: today.isBehind
        ) { today.estimator.provisional }
        for period in minutes { add(period, isFinal: false, to: &results) }
        return results
    }

    /// Folds stored windows, of which all that start before `time` are taken: a part of them.
    func fold(before time: UnixTime) throws(StoreFailure) -> (results: Results, isDone: Bool) {
        try today.restore(layout.site, from: store)
        let (found, isDone) = today.fold(before: time)
        var results = Results()
        add(found, to: &results, areStored: true)
        return (results, isDone)
    }

    /// The items whose state must be published.
    func dueStates(isDurable: Bool, at now: Instant) -> [PresentStates.Due] {
        let absences = gateways.absences(acceptsUnsyncedClocks: layout.acceptsUnsyncedClocks)
        let present = queues.on(today.now, absences: absences).map { [layout] now in
            PresentState(now.queue) {
                QueueResult(site: layout.site, now, rev: $0, isDurable: isDurable)
            }
        }
        let others = measurements.indices.flatMap {
            measurements[$0].states(absences: absences, isDurable: isDurable)
        }
        return states.due(present + others + (inventory?.nextStates() ?? []), at: now)
    }

    /// The visits of the running day that ended in `span` and are not final.
    func provisionalVisits(of queue: String, in span: Range<UnixTime>) -> [JSON] {
        today.estimator.provisionalVisits
            .filter { $0.queue == queue && span.contains($0.left.second.start) }
            .map { $0.json(site: layout.site) }
    }

    /// Whether the day is to be closed.
    ///
    /// - Parameter isPartial: whether stored windows are missing, which may be readable soon.
    func isDayOver(at wall: UnixTime, isPartial: Bool = false) -> Bool {
        today.isOver(at: wall, isConnected: gateways.isConnected, isPartial: isPartial)
    }

    /// Folds a part of what is left of the day. After the last part, it begins the next day that has messages, or the day that
    /// contains `wall`.
    func closeDay(wall: UnixTime) -> (results: Results, isClosed: Bool) {
        var results = Results()
        lacking = today.restoreAtEnd(layout.site, from: store, wall: wall) ?? lacking
        add(today.finish(), to: &results)
        guard !today.isUnfinished else { return (results, false) }
        let early = (windows: today.early, receipts: today.earlyReceipts)
        let next = LocalDay(containing: today.nextStart ?? wall)
        begin(
            OpenDay(
                next, layout, levels: today.estimator.learntLevels,
                allowedLateness: allowedLateness, watermarks: today.estimator.watermarks))
        for (gateway, fact) in early.windows { _ = today.take(fact, from: gateway) }
        for (queue, receipt) in early.receipts { _ = today.take(receipt, queue: queue) }
        return (results + levelsOnce(), true)
    }

    /// The starts of stored windows that can't be read, and that the results of the day lack; once.
    func takeLacking() -> Range<UnixTime>? {
        defer { lacking = nil }
        return lacking
    }

    /// Begins the day that contains `wall` without any windows.
    func beginAgain(wall: UnixTime) {
        begin(
            OpenDay(
                LocalDay(containing: wall), layout, levels: today.levels,
                allowedLateness: allowedLateness))
    }

    private func begin(_ day: OpenDay) {
        today = day
        tags.begin(day.day)
        published = PublishedDay()
    }

    /// The levels at the day's beginning, for the store: once a day, as soon as the day is certain.
    func levelsOnce() -> Results {
        defer { published.areLevelsStored = true }
        guard !published.areLevelsStored else { return Results() }
        let levels = StoreBatch.Levels(
            site: layout.site, day: today.day.span.lowerBound, levels: today.levels.json.bytes)
        return Results(levels: [levels])
    }

    /// - Parameter areStored: whether what was found follows from windows in the store.
    private func add(
        _ found: [QueueEstimator.Result], to results: inout Results, areStored: Bool = false
    ) {
        for result in found {
            switch result {
            case .period(let period): add(period, isFinal: true, to: &results)
            case .visit(let visit): add(visit, isStored: areStored, to: &results)
            }
        }
    }

    private func add(_ period: QueuePeriod, isFinal: Bool, to results: inout Results) {
        if isFinal,
            published.earlier.take(minute: period.span.lowerBound, of: period.queue)
        {
            return
        }
        guard
            let result = published.restatements.result(
                of: period, site: layout.site, isFinal: isFinal)
        else { return }
        results.minutes.append(
            StoreBatch.Minute(
                site: layout.site, queue: period.queue,
                start: period.span.lowerBound, end: period.span.upperBound,
                day: today.day.span, rev: result.rev, isFinal: isFinal, document: result.json.bytes,
                mark: result.mark.bytes,
                summary: PeriodSummary(period).stored.bytes))
    }

    private func add(_ visit: Visit, isStored: Bool, to results: inout Results) {
        guard keepsVisits else { return }
        let number = published.visitCounts[visit.queue, default: 0] + 1
        published.visitCounts[visit.queue] = number
        guard !published.earlier.has(visit: number, of: visit.queue, isStored: isStored) else {
            return
        }
        results.visitCounts.append(
            StoreBatch.VisitCount(
                site: layout.site, queue: visit.queue, day: today.day.span.lowerBound,
                count: number, method: method))
        results.visits.append(
            StoreBatch.Visit(
                site: layout.site, queue: visit.queue,
                entered: visit.entered.second.start, left: visit.left.second.start, tag: visit.tag,
                document: visit.json(site: layout.site).bytes))
    }
}

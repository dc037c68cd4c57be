import HTTP
import JSON
import Primitives
import Queueing
import Regions
import ResultStore

extension ServerState {
    /// The periods in a part of an answer: a part takes some milliseconds at most.
    private static let periodsAtOnce = 30

    /// The first stored periods of a queue in `span`, and the rest of it; `nil` where there are no more.
    func periods(
        _ site: String, _ queue: String, _ step: String, _ span: Range<UnixTime>
    ) throws(Problem) -> (periods: [JSON], rest: Range<UnixTime>?) {
        let rows: [(start: UnixTime, json: JSON?)] =
            if let wide = HistoryStep(rawValue: step) {
                try reading { store throws(StoreFailure) in
                    try store.periods(
                        wide, of: queue, at: site, in: span, limit: Self.periodsAtOnce)
                }.map { period in
                    let summary = PeriodSummary(bytes: period.summary)
                    return (period.start, summary?.json(period.start..<period.end))
                }
            } else {
                try minutes(site, queue, span)
            }
        let next = rows.last.map { $0.start + .milliseconds(1) } ?? span.upperBound
        let isLast = rows.count < Self.periodsAtOnce || next >= span.upperBound
        return (rows.compactMap(\.json), isLast ? nil : next..<span.upperBound)
    }

    private func minutes(
        _ site: String, _ queue: String, _ span: Range<UnixTime>
    ) throws(Problem) -> [(start: UnixTime, json: JSON?)] {
        try reading { store throws(StoreFailure) in
            try store.minutes(of: queue, at: site, in: span, limit: Self.periodsAtOnce)
        }.map { minute in (minute.start, Self.json(minute)) }
    }

    /// The published document, with the first published values where they have changed.
    private static func json(_ minute: StoredMinute) -> JSON? {
        guard
            case .object(let members)? = try? JSON(parsing: minute.document, maxBytes: 1 << 20)
        else { return nil }
        let mark = try? JSON(parsing: minute.mark, maxBytes: 1 << 16)
        guard let mark, mark["rev"] != .integer(Int64(minute.rev)) else {
            return .object(members)
        }
        return .object(members + [.init("restated", mark)])
    }

    /// The visits that ended in `span`.
    ///
    /// - Throws: a problem if the server does not keep them.
    func visits(
        _ site: Site, _ queue: String, _ span: Range<UnixTime>
    ) throws(Problem) -> Response {
        guard site.keepsVisits else {
            throw Problem(
                .notFound,
                "The server keeps no visits: its configuration has \"privacy\": \"counts\". Ask for history."
            )
        }
        let kept = store.retention.evidenceStart(
            at: wall, day: site.today.day.span.lowerBound)
        guard span.upperBound > kept else {
            throw Problem(
                .notFound,
                "The server has removed the visits of this time. Ask for visits that ended after keptFrom, or for history.",
                members: [.init("keptFrom", .integer(kept.milliseconds))])
        }
        let found = try reading { store throws(StoreFailure) in
            // One more shows that the answer is cut.
            try store.visits(
                of: queue, at: site.layout.site, in: span, limit: Self.mostRows + 1)
        }
        let comma = [UInt8(ascii: ",")]
        let provisional = site.provisionalVisits(of: queue, in: span).map(\.bytes)
        var bytes = Array("{\"keptFrom\":\(kept.milliseconds),\"visits\":[".utf8)
        bytes += found.prefix(Self.mostRows).joined(separator: comma)
        bytes += "],\"provisional\":[".utf8
        bytes += provisional.joined(separator: comma)
        bytes += "],\"truncated\":\(found.count > Self.mostRows)}".utf8
        return .json(bytes)
    }

    /// The events of the network of beacons that were decided in `span`.
    func beaconEvents(_ site: Site, _ span: Range<UnixTime>) throws(Problem) -> Response {
        let found = try reading { store throws(StoreFailure) in
            // One more shows that the answer is cut.
            try store.beaconEvents(at: site.layout.site, in: span, limit: Self.mostRows + 1)
        }
        let events = found.suffix(Self.mostRows).compactMap {
            (try? JSON(parsing: $0.document, maxBytes: 1 << 16)).map {
                site.inventory?.published($0) ?? $0
            }
        }
        return .json([
            "events": .array(events), "truncated": .bool(found.count > Self.mostRows),
        ])
    }

    /// The events of a region that were decided in `span`.
    func regionEvents(
        _ site: Site, _ region: String, _ span: Range<UnixTime>
    ) throws(Problem) -> Response {
        let kept = store.retention.evidenceStart(
            at: wall, day: site.today.day.span.lowerBound)
        let found = try reading { store throws(StoreFailure) in
            // One more shows that the answer is cut.
            try store.regionEvents(
                of: region, at: site.layout.site, in: span, limit: Self.mostRows + 1)
        }
        let events = found.suffix(Self.mostRows).compactMap { event -> JSON? in
            guard let document = try? JSON(parsing: event.document, maxBytes: 1 << 16) else {
                return nil
            }
            let subject = site.regions?.estimator.subject(of: event.tag)
            return RegionEventResult.published(document, beacon: subject?.identity)
        }
        return .json([
            "keptFrom": .integer(kept.milliseconds), "events": .array(events),
            "truncated": .bool(found.count > Self.mostRows),
        ])
    }

    /// What the gateways of a queue heard, part by part. The call after the last part returns `nil`.
    func evidence(
        _ site: Site, _ queue: String, _ span: Range<UnixTime>, withWindows: Bool
    ) throws(Problem) -> () throws(Problem) -> [UInt8]? {
        guard let layout = site.layout.queues.first(where: { $0.name == queue }) else {
            return { nil }
        }
        let earlier = span.clamped(to: .min..<site.today.day.span.lowerBound)
        guard earlier.upperBound - earlier.lowerBound <= Self.mostEarlier else {
            throw Problem(
                .badRequest,
                "The evidence before 04:00 of today is available for 2 hours a request; ask for parts."
            )
        }
        var evidence = Evidence(layout, site, span, earlier: earlier, withWindows: withWindows)
        return { [unowned self] () throws(Problem) in
            try evidence.next(self)
        }
    }

    /// Strips of a closed day are computed from its windows.
    private static let mostEarlier = Duration.seconds(7200)
}

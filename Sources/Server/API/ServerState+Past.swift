import HTTP
import JSON
import Primitives
import Queueing
import Store

extension ServerState {
    /// The stored periods of a queue.
    func periods(
        _ site: String, _ queue: String, _ step: String, _ span: Range<UnixTime>
    ) throws(Problem) -> [JSON] {
        guard let wide = HistoryStep(rawValue: step) else {
            return try minutes(site, queue, span)
        }
        return try reading { store throws(StoreFailure) in
            try store.periods(wide, of: queue, at: site, in: span, limit: Self.mostRows)
        }.compactMap { period in
            PeriodSummary(bytes: period.summary)?.json(period.start..<period.end)
        }
    }

    private func minutes(
        _ site: String, _ queue: String, _ span: Range<UnixTime>
    ) throws(Problem) -> [JSON] {
        try reading { store throws(StoreFailure) in
            try store.minutes(of: queue, at: site, in: span, limit: Self.mostRows + 80)
        }.compactMap { minute in
            guard
                case .object(let members)? = try? JSON(parsing: minute.document, maxBytes: 1 << 20)
            else { return nil }
            let mark = try? JSON(parsing: minute.mark, maxBytes: 1 << 16)
            guard let mark, mark["rev"] != .integer(Int64(minute.rev)) else {
                return .object(members)
            }
            return .object(members + [.init("restated", mark)])
        }
    }

    /// What the gateways of a queue heard.
    func evidence(
        _ site: SiteService, _ queue: String, _ span: Range<UnixTime>, withWindows: Bool
    ) throws(Problem) -> JSON {
        guard let layout = site.layout.queues.first(where: { $0.name == queue }) else {
            return .null
        }
        let earlier = span.clamped(to: .min..<site.today.day.span.lowerBound)
        guard earlier.upperBound - earlier.lowerBound <= Self.mostEarlier else {
            throw Problem(
                .badRequest,
                "The evidence before 04:00 of today is available for 2 hours a request; ask for parts."
            )
        }
        let closed = earlier.isEmpty ? [:] : try strips(site, layout.gateways, earlier)
        let roles =
            layout.entry.map { ($0, "entry") } + layout.till.map { ($0, "till") }
            + layout.along.map { ($0, "along") }
        let strips = site.today.estimator.strips
        let gateways = roles.map { gateway, role -> JSON in
            let runs =
                (closed[gateway]?.runs ?? [])
                + (strips.first { $0.gateway == gateway }?.runs ?? [])
            return [
                "gateway": .string(gateway), "role": .string(role),
                "runs": .array(runs.compactMap { $0.json(within: span) }),
            ]
        }
        var members = [JSON.Member("gateways", .array(gateways))]
        if withWindows {
            members.append(.init("windows", .array(try windows(site, layout.gateways, span))))
        }
        if let truth { members.append(.init("truth", truth.log.json(of: queue, in: span))) }
        return .object(members)
    }

    /// Strips of a closed day are computed from its windows, in the server's loop.
    private static let mostEarlier = Duration.seconds(7200)

    private func windows(
        _ site: SiteService, _ gateways: [String], _ span: Range<UnixTime>
    ) throws(Problem) -> [JSON] {
        var windows: [JSON] = []
        _ = try reading { store throws(StoreFailure) in
            try store.facts(of: site.layout.site, in: span, limit: 2 * Self.mostRows) {
                guard gateways.contains($0), windows.count < Self.mostRows else { return }
                windows.append($1.evidence($0))
            }
        }
        return windows
    }

    /// The strips of a time before the running day.
    private func strips(
        _ site: SiteService, _ gateways: [String], _ span: Range<UnixTime>
    ) throws(Problem) -> [String: GatewayStrip] {
        var facts: [String: [WindowFact]] = [:]
        _ = try reading { store throws(StoreFailure) in
            try store.facts(of: site.layout.site, in: span) {
                if gateways.contains($0) { facts[$0, default: []].append($1) }
            }
        }
        let seconds =
            span.lowerBound.milliseconds / 1000..<(span.upperBound.milliseconds + 999) / 1000
        return facts.reduce(into: [:]) { strips, entry in
            strips[entry.key] = GatewayStrip(
                gateway: entry.key, windows: entry.value, seconds: seconds)
        }
    }
}

extension GatewayStrip.Run {
    /// `[fromMs, toMs, state]`; `nil` outside `span`.
    fileprivate func json(within span: Range<UnixTime>) -> JSON? {
        let inside = (UnixTime(second: seconds.lowerBound)..<UnixTime(second: seconds.upperBound))
            .clamped(to: span)
        guard !inside.isEmpty else { return nil }
        return [
            .integer(inside.lowerBound.milliseconds), .integer(inside.upperBound.milliseconds),
            .string(state.rawValue),
        ]
    }
}

extension WindowFact {
    /// The window without its tags.
    fileprivate func evidence(_ gateway: String) -> JSON {
        [
            "gateway": .string(gateway), "start": .integer(span.lowerBound.milliseconds),
            "end": .integer(span.upperBound.milliseconds),
            "state": state == .deaf ? "deaf" : "hearing",
            "tags": .integer(Int64(Set(readings.map(\.tag)).count)),
            "reports": .integer(readings.reduce(0) { $0 &+ Int64($1.count) }),
        ]
    }
}

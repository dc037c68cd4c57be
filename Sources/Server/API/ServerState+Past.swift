import HTTP
import JSON
import Queueing
import Store

extension ServerState {
    /// The stored periods of a queue.
    func periods(
        _ site: String, _ queue: String, _ step: String, _ span: Range<Int64>
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
        _ site: String, _ queue: String, _ span: Range<Int64>
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
        _ site: SiteService, _ queue: String, _ span: Range<Int64>
    ) throws(Problem) -> JSON {
        guard let layout = site.layout.queues.first(where: { $0.name == queue }) else {
            return .null
        }
        let roles =
            layout.entry.map { ($0, "entry") } + layout.till.map { ($0, "till") }
            + layout.along.map { ($0, "along") }
        let strips = site.today.estimator.strips
        let gateways = roles.map { gateway, role -> JSON in
            let runs = strips.first { $0.gateway == gateway }?.runs ?? []
            return [
                "gateway": .string(gateway), "role": .string(role),
                "runs": .array(runs.compactMap { $0.json(within: span) }),
            ]
        }
        let names = Set(roles.map(\.0))
        var windows: [JSON] = []
        _ = try reading { store throws(StoreFailure) in
            try store.facts(of: site.layout.site, in: span, limit: 2 * Self.mostRows) {
                guard names.contains($0), windows.count < Self.mostRows else { return }
                windows.append($1.evidence($0))
            }
        }
        return ["gateways": .array(gateways), "windows": .array(windows)]
    }
}

extension GatewayStrip.Run {
    /// `[fromMs, toMs, state]`; `nil` outside `span`.
    fileprivate func json(within span: Range<Int64>) -> JSON? {
        let inside = (seconds.lowerBound * 1000..<seconds.upperBound * 1000).clamped(to: span)
        guard !inside.isEmpty else { return nil }
        return [
            .integer(inside.lowerBound), .integer(inside.upperBound), .string(state.rawValue),
        ]
    }
}

extension WindowFact {
    /// The window without its tags.
    fileprivate func evidence(_ gateway: String) -> JSON {
        [
            "gateway": .string(gateway), "start": .integer(span.lowerBound),
            "end": .integer(span.upperBound), "state": state == .deaf ? "deaf" : "hearing",
            "tags": .integer(Int64(Set(readings.map(\.tag)).count)),
            "reports": .integer(readings.reduce(0) { $0 &+ Int64($1.count) }),
        ]
    }
}

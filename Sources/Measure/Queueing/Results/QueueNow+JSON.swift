import JSON

extension QueueNow {
    /// The retained result of a queue. Times are milliseconds since the epoch.
    ///
    /// - Parameters:
    ///   - rev: rises with each publication of other contents.
    ///   - isDurable: whether the results survive a restart of the server.
    package func json(site: String, rev: Int, isDurable: Bool) -> JSON {
        let reasons = reasons.map { reason -> JSON in
            [
                "gateway": .string(reason.gateway), "state": .string(reason.state.rawValue),
                "since": .time(reason.since), "until": .time(reason.until),
            ]
        }
        let trend = trend.map { minute -> JSON in
            [.time(minute.start), .rounded(minute.length, places: 2)]
        }
        return [
            "v": 1, "kind": "queue", "site": .string(site), "queue": .string(queue),
            "at": .time(at), "rev": .integer(Int64(rev)), "state": .string(state.rawValue),
            "since": .time(since), "reasons": .array(reasons),
            "length": line.map { $0.lengthJSON } ?? .null,
            "wait": line?.forecast?.nowJSON ?? .null,
            "leavers": line?.leavers.json ?? .null,
            "throughput": line?.perHour.map {
                [
                    "perHour": .rounded($0.perHour, places: 1),
                    "low": .rounded($0.low, places: 1), "high": .rounded($0.high, places: 1),
                    "sinceMs": .milliseconds(RecentLine.horizon),
                ]
            } ?? .null,
            "tills": line?.openTills.map {
                ["open": .integer(Int64($0)), "of": .integer(Int64(tills))]
            } ?? .null,
            "trend": .array(trend), "coverage": coverage?.published ?? .null,
            "target": targetWait.map {
                [
                    "waitMs": .milliseconds($0),
                    "isOver": isOver($0).map { .bool($0) } ?? .null,
                ]
            } ?? .null,
            "littleResidualMs": .milliseconds(littleResidual), "durable": .bool(isDurable),
        ]
    }
}

extension QueueNow {
    /// Whether the forecast is above the target; `nil` without a forecast.
    private func isOver(_ target: Duration) -> Bool? {
        (line?.forecast).map { $0.wait > target / .seconds(1) }
    }
}

extension QueueNow.Line {
    fileprivate var lengthJSON: JSON {
        [
            "people": .rounded(length.estimate, places: 1), "low": .integer(Int64(length.low)),
            "high": .integer(Int64(length.high)), "tags": .integer(Int64(tags)),
        ]
    }
}

extension QueueNow.Leavers {
    fileprivate var json: JSON {
        [
            "sinceMs": .milliseconds(RecentLine.horizon),
            "served": .integer(Int64(served.estimate)), "servedLow": .integer(Int64(served.low)),
            "servedHigh": .integer(Int64(served.high)), "abandoned": .integer(Int64(abandoned)),
            "meanMs": .milliseconds(waits.mean), "medianMs": .milliseconds(waits.median),
            "medianLowMs": .milliseconds(median.low), "medianHighMs": .milliseconds(median.high),
            "p90Ms": .milliseconds(waits.p90), "p90LowMs": .milliseconds(p90.low),
            "p90HighMs": .milliseconds(p90.high),
        ]
    }
}

extension Forecast {
    /// The forecast of a queue's state, whose member `wait` it is.
    fileprivate var nowJSON: JSON {
        guard case .object(let members) = json else { return json }
        return .object(members.map { $0.key == "waitMs" ? .init("ms", $0.value) : $0 })
    }
}

extension Coverage {
    fileprivate var published: JSON {
        [
            "percent": .rounded(share * 100, places: 1),
            "lowPercent": .rounded(low * 100, places: 1),
            "highPercent": .rounded(high * 100, places: 1), "source": .string(source.rawValue),
        ]
    }
}

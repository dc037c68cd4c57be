import Facts
import Glibc
import JSON

extension Visit {
    /// The line of a visit.
    package func json(site: String, more: [JSON.Member] = []) -> JSON {
        var members: [JSON.Member] = [
            .init("v", 1), .init("kind", "visit"), .init("site", .string(site)),
            .init("queue", .string(queue)), .init("entered", entered.json),
            .init("left", left.json), .init("waitMs", .milliseconds(wait)),
            .init("how", .string(end.rawValue)),
            .init("confidence", .rounded(probability, places: 3)),
        ]
        if !isExact {
            members += [
                .init("enteredRange", entered.range), .init("leftRange", left.range),
            ]
        }
        return .object(members + more)
    }
}

extension EdgeDate {
    fileprivate var json: JSON { .time(second) }
    fileprivate var range: JSON { [.time(earliest), .time(latest)] }
}

extension QueuePeriod {
    /// The line of a period. A period without knowledge has `null` for everything that it does not know.
    package func json(site: String, rev: Int, isFinal: Bool) -> JSON {
        let isUnknown = state == .unknown
        let reasons = gateways.flatMap { gateway in
            gateway.reasons.map { reason in
                JSON.object([
                    .init("gateway", .string(gateway.gateway)),
                    .init("state", .string(reason.state.rawValue)),
                    .init("ms", .milliseconds(reason.time)),
                ])
            }
        }
        var members: [JSON.Member] = [
            .init("v", 1), .init("kind", "minute"), .init("site", .string(site)),
            .init("queue", .string(queue)), .init("start", .time(seconds.lowerBound)),
            .init("end", .time(seconds.upperBound)), .init("rev", .integer(Int64(rev))),
            .init("final", .bool(isFinal)), .init("state", .string(state.rawValue)),
            .init("reasons", .array(reasons)), .init("knownMs", .milliseconds(known)),
            .init("length", isUnknown ? .null : line.json(coverage)),
        ]
        let counts = [
            ("joined", line.joined), ("served", line.served), ("abandoned", line.abandoned),
        ]
        members += counts.map {
            JSON.Member($0.0, isUnknown ? .null : .integer($0.1))
        }
        members += [
            .init("waits", isUnknown ? .null : line.waits.json),
            .init("forecast", isUnknown ? .null : forecast?.json ?? .null),
            .init("scores", isUnknown ? .null : scores.json),
            .init("overTargetMs", isUnknown ? .null : .milliseconds(overTarget)),
            .init("coverage", coverage?.json ?? .null),
            .init("littleResidualMs", .milliseconds(littleResidual)),
        ]
        return .object(members)
    }
}

extension LineStatistics {
    fileprivate func json(_ coverage: CoverageSettings?) -> JSON {
        let interval = LengthInterval(atEnd, coverage.map { Coverage($0) })
        return [
            "mean": .rounded(meanLength, places: 3),
            "max": .integer(sums.longest),
            "end": .integer(Int64(lengthAtEnd)), "people": .rounded(interval.estimate, places: 1),
            "low": .integer(Int64(interval.low)), "high": .integer(Int64(interval.high)),
        ]
    }
}

extension WaitStatistics {
    fileprivate var json: JSON {
        [
            "count": .integer(Int64(count)), "meanMs": .milliseconds(mean),
            "medianMs": .milliseconds(median), "p90Ms": .milliseconds(p90),
            "maxMs": .milliseconds(longest),
        ]
    }
}

extension Forecast {
    var json: JSON {
        [
            "waitMs": .milliseconds(wait), "lowMs": .milliseconds(low),
            "highMs": .milliseconds(high), "learning": .bool(record.isLearning),
            "scored": .integer(Int64(record.scored)),
            "meanErrorMs": .milliseconds(record.meanError),
            "meanWaitMs": .milliseconds(record.meanWait),
            "inInterval": .rounded(record.hitShare, places: 3),
        ]
    }
}

extension JSON {
    fileprivate static func milliseconds(_ seconds: Double?) -> JSON {
        seconds.map { .integer(Int64(($0 * 1000).rounded())) } ?? .null
    }

    package static func milliseconds(_ duration: Duration?) -> JSON {
        duration.map { .integer($0.milliseconds) } ?? .null
    }

    static func time(_ second: UnixSecond?) -> JSON {
        second.map { .integer($0.start.milliseconds) } ?? .null
    }

    static func rounded(_ number: Double?, places: Int) -> JSON {
        guard let number else { return .null }
        let scale = pow(10, Double(places))
        return .number((number * scale).rounded() / scale)
    }
}

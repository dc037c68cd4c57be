import Facts
import JSON
import Results

/// A published minute of a queue. A minute without knowledge has `null` for everything that it does not know.
package struct MinuteResult: ResultDocument {
    package let site: String
    package let period: QueuePeriod
    package let rev: Int
    package let isFinal: Bool

    package static let kind = ResultKind(
        "minute", file: "queue-minute", topic: .minutes, title: "Minute of a queue",
        help:
            "One minute of a queue, as sightline queue writes it: one JSON object a line. In an unknown minute, all numbers of the line are null.",
        members)

    package static let members = head + numbers + tail

    /// `nil` in an unknown minute.
    fileprivate var known: QueuePeriod? { period.state == .unknown ? nil : period }

    /// In line at the end.
    fileprivate var people: LengthInterval? {
        known.map { LengthInterval($0.line.atEnd, $0.coverage.map { Coverage($0) }) }
    }

    private static let head: [ResultMember<MinuteResult>] = [
        .constant("v", 1), .constant("kind", "minute"), .name("site") { $0.site },
        .name("queue") { $0.period.queue },
        .time("start") { $0.period.span.lowerBound }.history(),
        .time("end") { $0.period.span.upperBound }.history(),
        .integer("rev", "Rises with each restatement of the same minute.", atLeast: 1) { $0.rev }
            .stamp.history(),
        .flag("final", "false: later messages may change the minute.") { $0.isFinal }.stamp
            .history(),
        .word(
            "state",
            "degraded: a gateway did not hear all the time. unknown: entry or till did not hear for half of the time or longer. Also unknown: no tag was in line, and a gateway did not hear for a quarter of the time, or a person may have joined or left unseen. While the queue at present is degraded or unknown, the provisional minutes since the cause began are degraded, or unknown without a tag in line at the end."
        ) { $0.period.state }.history(),
        .list("reasons", of: reasons) { $0.reasons }.history(2),
        .milliseconds(
            "knownMs",
            "Milliseconds in which entry and till were certainly both heard: in each second, the least that the heard parts of both have in common."
        ) { $0.period.known }.history(),
    ]

    private typealias Reason = (gateway: String, state: GatewaySecond.State, time: Duration)

    private var reasons: [Reason] {
        period.gateways.flatMap { gateway in
            gateway.reasons.map { (gateway.gateway, $0.state, $0.time) }
        }
    }

    private static let reasons: [ResultMember<Reason>] = [
        .name("gateway") { $0.gateway },
        .word(
            "state",
            "learning: the gateway has not listened for long enough since its first tag. deaf: the gateway says so. lost: the gateway declares the messages as lost. unknown: no message.",
            of: GatewaySecond.State.allCases.filter { $0 != .heard }.map(\.rawValue)
        ) { $0.state.rawValue },
        .milliseconds("ms", atLeast: 1) { $0.time },
    ]

    private static let numbers: [ResultMember<MinuteResult>] = [
        .object("length", of: length) { result in
            result.people.map { (result.period.line, $0) }
        }.nullable,
        .integer("joined") { $0.known?.line.joined }.nullable.history(),
        .integer(
            "served", "Those who left the till; `waits.count` of them have a known wait."
        ) { $0.known?.line.served }.nullable.history(),
        .integer("abandoned", "Those who gave up, as far as they are recognised: few are.") {
            $0.known?.line.abandoned
        }.nullable.history(),
        .object("waits", "Of those who were served in this time.", of: WaitStatistics.members) {
            $0.known?.line.waits
        }.nullable,
        .object(
            "forecast",
            "For a person who joined at the end of the minute; null before anybody was served.",
            of: Forecast.members("waitMs")
        ) { $0.known?.forecast }.nullable,
        .object(
            "scores", "Forecasts for those who joined in this time, compared with what then came.",
            of: ForecastScores.members.history(1)
        ) { $0.known?.scores }.nullable,
        .milliseconds(
            "overTargetMs",
            "Milliseconds in which the forecast was above the target of the queue; null without a forecast or a target."
        ) { $0.known?.overTarget }.nullable.history(1),
    ]

    private static let length: [ResultMember<(line: LineStatistics, people: LengthInterval)>] = [
        .number("mean", "Tags in line, over the known seconds.", places: 3) { $0.line.meanLength }
            .nullable.history(),
        .integer("max", "The most tags in line in a known second.") { $0.line.sums.longest }
            .history(1),
        .integer("end", "Tags in line at the end.") { $0.line.lengthAtEnd }.history(),
        .number("people", "end, divided by the coverage.", places: 1) { $0.people.estimate }
            .history(),
        .integer("low", "The 90 % interval of people at the end.") { $0.people.low }.history(),
        .integer("high") { $0.people.high }.history(),
    ]

    private static let tail: [ResultMember<MinuteResult>] = [
        .object(
            "coverage", "As configured; null: lengths count people with a beacon.", of: coverage
        ) { $0.period.coverage }.nullable
            .published(as: .schema([.init("type", ["object", "null"])])),
        .milliseconds(
            "littleResidualMs",
            "The integral of the length minus the sum of the times in line, since the start. Anything but 0 is a fault of the program.",
            atLeast: nil
        ) { $0.period.littleResidual },
    ]

    private static let coverage: [ResultMember<CoverageSettings>] = [
        .integer("percent") { $0.percent }, .integer("lowPercent") { $0.low }.optional,
        .integer("highPercent") { $0.high }.optional,
    ].history(1)
}

/// The values of a minute that a restatement is compared with, as first published: `{"rev":1,"people":6.2,"waitMs":240000,
/// "served":2,"abandoned":0,"medianMs":180000,"reasons":[]}`.
extension MinuteResult {
    package var mark: JSON { Self.marks.json(of: self) }

    package static let marks: [ResultMember<MinuteResult>] = [
        .integer("rev", atLeast: 1) { $0.rev },
        .number("people", places: 1) { $0.people?.estimate }.nullable,
        .seconds("waitMs") { $0.known?.forecast?.wait }.nullable,
        .integer("served") { $0.known?.line.served }.nullable.optional,
        .integer("abandoned") { $0.known?.line.abandoned }.nullable.optional,
        .milliseconds("medianMs", "The median wait.") { $0.known?.line.waits.median }
            .nullable.optional,
        .list(
            "reasons",
            "A gateway that was unknown for a longer time than now has sent the rest later.",
            of: reasons
        ) { $0.reasons }.optional
            .published(as: .reference("#/components/schemas/Minute/properties/reasons")),
    ]

    /// A minute in the history: where its values have changed, with the first ones.
    package static let stored = ResultKind(
        "minute", file: "stored-minute", topic: nil, title: kind.title, help: kind.help,
        members + [
            .object(
                "restated", "The first published values, if later ones differ.",
                of: marks.history(2)
            ) { $0 }.optional
        ])
}

extension QueuePeriod {
    /// The line of a period.
    package func json(site: String, rev: Int, isFinal: Bool) -> JSON {
        MinuteResult(site: site, period: self, rev: rev, isFinal: isFinal).json
    }
}

extension WaitStatistics {
    fileprivate static let members: [ResultMember<WaitStatistics>] = [
        .integer("count") { $0.count }, .milliseconds("meanMs") { $0.mean }.nullable,
        .milliseconds("medianMs") { $0.median }.nullable,
        .milliseconds("p90Ms") { $0.p90 }.nullable,
        .milliseconds("maxMs") { $0.longest }.nullable,
    ].history()
}

import Facts
import JSON
import Results

/// The retained result of a queue.
package typealias QueueResult = PresentResult<QueueNow>

extension QueueNow: PresentItem {
    package static let kind = ResultKind(
        "queue", file: "queue", topic: .now, title: "Queue at present",
        help:
            "A queue by present knowledge. Retained; published when it changes, at most once a second, and at least every 30 s. Subscribers must ignore unknown members. In the state unknown, length, wait, leavers, throughput and tills are null.",
        members)

    package static let members = condition + numbers + context

    private static let condition: [ResultMember<QueueResult>] = [
        .constant("v", 1), .constant("kind", "queue"), .name("site") { $0.site },
        .name("queue") { $0.now.queue },
        .time(
            "at",
            "The end of the last second that the numbers describe, by the gateways' clocks; null before the first message.",
            atLeast: 0
        ) { $0.now.at?.start }.nullable.stamp,
        .integer("rev", "Rises with each publication of other contents.") { $0.rev }.stamp,
        .word(
            "state",
            "In the state degraded, a gateway does not hear, or a tag is near that may have joined unseen. In the state unknown, no gateway of a role heard at some time of the last 30 s. The state is also unknown when no tag is in line, and it would be degraded. A queue that was known once is known again after ten seconds without such a cause."
        ) { $0.now.state }
        .metric(
            "unknown", "Whether the queue is unknown; the page names the reason.", word: "unknown"
        )
        .metric(
            "degraded", "Whether the numbers are less certain; the page names the reason.",
            word: "degraded"
        ).entity("problem", "Problem", normal: "ok").column("State", "STATE"),
        .time("since", "The start of the state.", atLeast: 0) { $0.now.since?.start }.nullable
            .column("Since"),
        .list(
            "reasons",
            "The gateways that do not hear. One that hears again stays here for 30 s, and as long as a tag is near that may have joined unseen. Before the first message: all gateways.",
            of: QueueNow.Reason.members
        ) { $0.now.reasons }.column("Not hearing", "NOT HEARING", end: "until", place: 1),
    ]

    private static let numbers: [ResultMember<QueueResult>] = [
        .object("length", of: QueueNow.Line.members) { $0.now.line }.nullable,
        .object(
            "wait", "The forecast for a person who joins now; null before anybody was served.",
            of: Forecast.members("ms")
        ) { $0.now.line?.forecast }.nullable,
        .object(
            "leavers",
            "Those who left within the last sinceMs. The waits are of those who were served, and whose dates are exact.",
            of: QueueNow.Leavers.members
        ) { $0.now.line?.leavers }.nullable,
        .object(
            "throughput",
            "Tags served an hour, over the known part of the last sinceMs. null: less than five minutes of it are known.",
            of: QueueNow.Rate.members
        ) { $0.now.line?.perHour }.nullable,
        .object(
            "tills", "The tills that serve, of all tills of the queue; null where it is not known.",
            of: tills
        ) { result in
            result.now.line?.openTills.map { (open: $0, all: result.now.tills) }
        }.nullable,
    ]

    private static let tills: [ResultMember<(open: Int, all: Int)>] = [
        .integer("open") { $0.open }
            .metric("tills_open", "Tills that served a visitor recently.", place: 4)
            .column("Tills open", whole: "of"),
        .integer("of", atLeast: 1) { $0.all },
    ]

    private static let context: [ResultMember<QueueResult>] = [
        .json(
            "trend",
            "The last thirty minutes: the start of each, and the mean number of people in line by the present coverage. null: unknown.",
            as: .schema([
                .init("type", "array"),
                .init(
                    "items",
                    [
                        "type": "array", "minItems": 2, "maxItems": 2,
                        "items": ["type": ["number", "null"]],
                    ]),
            ])
        ) { result in
            .array(
                result.now.trend.map {
                    [.integer($0.start.start.milliseconds), .rounded($0.length, places: 2)]
                })
        },
        .object(
            "coverage",
            "The share of people who carry a beacon; null: lengths count people with a beacon.",
            of: Coverage.members
        ) { $0.now.coverage }.nullable,
        .object(
            "target",
            "The operator's target, and whether the forecast is above it; null without a target.",
            of: target
        ) { result in
            result.now.targetWait.map { (wait: $0, isOver: result.now.isOver($0)) }
        }.nullable,
        .milliseconds(
            "littleResidualMs",
            "The integral of the length minus the sum of the times in line, since the start of the day. Anything but 0 is a fault of the program.",
            atLeast: nil
        ) { $0.now.littleResidual }.check
            .metric("little_residual", "Anything but 0 is a fault of the program.", place: 4),
        .flag("durable", "false: the server cannot store results, and a restart loses them.") {
            $0.isDurable
        },
    ]

    private static let target: [ResultMember<(wait: Duration, isOver: Bool?)>] = [
        .milliseconds("waitMs", atLeast: 1) { $0.wait }
            .metric("target", "The wait that the operator aims at.", place: 3),
        .flag("isOver", "null while wait is null.") { $0.isOver }.nullable
            .metric(
                "over_target", "Whether the wait exceeds the target; absent while it is unknown.",
                place: 3),
    ]
}

extension QueueNow {
    /// The document of the topic.
    package func json(site: String, rev: Int, isDurable: Bool) -> JSON {
        QueueResult(site: site, self, rev: rev, isDurable: isDurable).json
    }

    /// Whether the forecast is above the target; `nil` without a forecast.
    fileprivate func isOver(_ target: Duration) -> Bool? {
        (line?.forecast).map { $0.wait > target / .seconds(1) }
    }
}

extension QueueNow.Reason {
    fileprivate static let members: [ResultMember<QueueNow.Reason>] = [
        .name("gateway") { $0.gateway },
        .word(
            "state",
            "In the state learning, the gateway has not listened for long enough since its first tag. The gateway itself reports that it is deaf, or that messages are lost. In the state offline, its connection to the broker has ended. In the state unsynced, its clock is not set, and its messages are left out. In the state unknown, it sends no message."
        ) { $0.cause },
        .time("since", "null before the first message.", atLeast: 0) { $0.since?.start }.nullable,
        .time("until", "When the gateway began to hear again; null until then.", atLeast: 0) {
            $0.until?.start
        }.nullable.optional,
    ]
}

extension QueueNow.Line {
    fileprivate static let members: [ResultMember<QueueNow.Line>] = [
        .number("people", "tags, divided by the coverage.", places: 1) { $0.length.estimate }
            .metric("people", "People in line; absent while it is unknown.")
            .entity("length", "People in line")
            .column("People in line", "PEOPLE", low: "low", high: "high"),
        .integer("low", "The 90 % interval of people.") { $0.length.low }
            .metric("people_low", "The lower end of its 90 % interval."),
        .integer("high") { $0.length.high }
            .metric("people_high", "The upper end of its 90 % interval."),
        .integer("tags", "Tags in line.") { $0.tags },
    ]
}

extension QueueNow.Leavers {
    fileprivate static let members: [ResultMember<QueueNow.Leavers>] = [
        .milliseconds("sinceMs", atLeast: 1) { _ in RecentLine.horizon },
        .integer("served", "Tags.") { Int64($0.served.estimate) },
        .integer("servedLow", "The 90 % interval of people with a tag.") { $0.served.low },
        .integer("servedHigh") { $0.served.high },
        .integer("abandoned", "Those who gave up, as far as they are recognised: few are.") {
            $0.abandoned
        },
        .milliseconds("meanMs") { $0.waits.mean }.nullable,
        .milliseconds("medianMs", "Half of the people waited no longer.") { $0.waits.median }
            .nullable,
        .milliseconds(
            "medianLowMs",
            "The 90 % interval for all people. null: too few waits are known for this end."
        ) { $0.median.low }.nullable,
        .milliseconds("medianHighMs") { $0.median.high }.nullable,
        .milliseconds("p90Ms", "90 % of the people waited no longer.") { $0.waits.p90 }.nullable
            .metric("wait_p90", "90 % of those who left recently waited no longer.", place: 3)
            .entity("p90", "Wait that 1 in 10 exceed").column("1 in 10 above", "1 IN 10 ABOVE"),
        .milliseconds("p90LowMs", "As of the median.") { $0.p90.low }.nullable,
        .milliseconds("p90HighMs") { $0.p90.high }.nullable,
    ]
}

extension QueueNow.Rate {
    fileprivate static let members: [ResultMember<QueueNow.Rate>] = [
        .number("perHour", places: 1) { $0.perHour }
            .metric(
                "throughput_per_hour", "Tags served an hour; absent while it is unknown.", place: 2),
        .number("low", "The 90 % interval of people with a tag, an hour.", places: 1) { $0.low },
        .number("high", places: 1) { $0.high },
        .milliseconds("sinceMs", atLeast: 1) { _ in RecentLine.horizon },
    ]
}

extension Coverage {
    fileprivate static let members: [ResultMember<Coverage>] = [
        .number("percent", places: 1, atMost: 100) { $0.share * 100 }.percent
            .metric(
                "coverage", "The share of people who carry a beacon; absent if it is unknown.",
                place: 1
            ).column("Share with a beacon", low: "lowPercent", high: "highPercent"),
        .number("lowPercent", places: 1, atMost: 100) { $0.low * 100 },
        .number("highPercent", places: 1, atMost: 100) { $0.high * 100 },
        .word("source") { $0.source },
    ]
}

extension Forecast {
    /// The members of a forecast, the wait under the name that its document gives it.
    static func members(_ wait: String) -> [ResultMember<Forecast>] {
        [
            .seconds(wait) { $0.wait }.history()
                .metric(
                    "wait", "The wait of a person who joins now; absent while it is unknown.",
                    place: 3
                ).entity("wait", "Wait")
                .column("Wait", "WAIT", low: "lowMs", high: "highMs"),
            .seconds("lowMs", "The 90 % interval.") { $0.low }.history()
                .metric("wait_low", "The lower end of its 90 % interval.", place: 3),
            .seconds("highMs") { $0.high }.history()
                .metric("wait_high", "The upper end of its 90 % interval.", place: 3),
        ] + record
    }

    /// How forecasts did until now.
    private static let record: [ResultMember<Forecast>] = [
        .flag("learning", "true: too few past forecasts; the interval is a guess.") {
            $0.record.isLearning
        },
        .integer("scored", "Past forecasts that were compared with what then came.") {
            $0.record.scored
        }.column("Past forecasts"),
        .seconds("meanErrorMs", "Of the last 200 of them, like the others.") { $0.record.meanError }
            .nullable
            .metric(
                "forecast_error",
                "The mean error of past forecasts of the wait; absent before there are any.",
                place: 3
            ).column("Their mean error"),
        .seconds("meanWaitMs") { $0.record.meanWait }.nullable,
        .number(
            "inInterval", "The share whose wait was in the interval.", places: 3, atLeast: nil
        ) { $0.record.hitShare }.nullable,
    ].history(1)
}

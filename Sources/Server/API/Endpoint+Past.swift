import HTTP
import JSON
import Primitives
import Queueing
import ResultStore

extension Endpoint {
    private static let day = Duration.seconds(86_400)
    private static let span: [QueryItem] = [
        .time(
            "from", "The beginning, in milliseconds since 1970. The default depends on the route."),
        .time("to", "The end. The default is now."),
    ]

    /// The stored results.
    static let past = [
        Endpoint(
            operation: "getHistory", path: "/api/v1/sites/{site}/queues/{queue}/history",
            scope: .read, summary: "Minutes, hours or days of a queue",
            details:
                " Without `from`, the last 4 hours in minutes, 7 days in hours, or 30 days in days. At most 7 days of minutes, 366 days of hours, or 3,660 days.",
            query: span + [
                .word("step", ["minute", "hour", "day"], "The length of the periods."),
                .word(
                    "format", ["json", "csv"],
                    "csv: a table, whose columns are the places of the members; reasons are GATEWAY STATE MS, with semicolons between them."
                ),
            ], answer: .json("History")
        ) { state, request throws(Problem) in
            let (site, queue) = try state.queue(request)
            let step = try request.word("step", of: ["minute", "hour", "day"])
            let format = try request.word("format", of: ["json", "csv"])
            let limits: (usual: Duration, most: Duration) =
                switch step {
                case "minute": (day / 6, day * 7)
                case "hour": (day * 7, day * 366)
                default: (day * 30, day * 3660)
                }
            let span = try request.span(
                now: state.wall, usual: limits.usual, atMost: limits.most,
                remedy: "ask for parts, or for a wider step")
            let history = History(
                site: site.layout.site, queue: queue, step: step, span: span)
            let source: History.Source = { span throws(Problem) in
                try state.periods(site.layout.site, queue, step, span)
            }
            return format == "csv"
                ? try .parts(type: "text/csv; charset=utf-8", history.csv(source))
                : try .parts(type: "application/json", history.json(source))
        },
        Endpoint(
            operation: "listVisits", path: "/api/v1/sites/{site}/queues/{queue}/visits",
            scope: .read, summary: "The visits that ended in a time of the last 24 hours",
            details:
                " 404 where the server keeps no visits of that time: the configuration has “privacy”: “counts”, or they are removed. Without `from`, those of the last hour; at most 7 days.",
            query: span, answer: .json("Visits")
        ) { state, request throws(Problem) in
            let (site, queue) = try state.queue(request)
            let span = try request.span(now: state.wall, usual: day / 24, atMost: day * 7)
            return try state.visits(site, queue, span)
        },
        Endpoint(
            operation: "getEvidence", path: "/api/v1/sites/{site}/queues/{queue}/evidence",
            scope: .read, summary: "What the gateways heard: the evidence behind a number",
            details: " Without `from`, that of the last hour; at most 2 days.",
            query: span + [.word("windows", ["no", "yes"], "yes: each window too.")],
            answer: .json("Evidence")
        ) { state, request throws(Problem) in
            let (site, queue) = try state.queue(request)
            let span = try request.span(now: state.wall, usual: day / 24, atMost: day * 2)
            let windows = try request.word("windows", of: ["no", "yes"])
            return try .parts(
                type: "application/json",
                try state.evidence(site, queue, span, withWindows: windows == "yes"))
        },
        Endpoint(
            operation: "getTypical", path: "/api/v1/sites/{site}/queues/{queue}/typical",
            scope: .public, summary: "The waits of the last eight days of a weekday",
            query: [
                .init(
                    name: "weekday", help: "1 for Monday to 7 for Sunday. The default is today.",
                    schema: ["type": "integer", "minimum": 1, "maximum": 7])
            ], answer: .json("Typical")
        ) { state, request throws(Problem) in
            let (site, queue) = try state.queue(request)
            let weekday =
                try request.number("weekday", in: 1...7).map(Int.init)
                ?? site.today.day.weekday
            return try state.typical(site, queue, weekday)
        },
    ]
}

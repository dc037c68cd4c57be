import HTTP
import JSON
import Primitives
import Queueing
import ResultStore

/// One route of the API: the router and the OpenAPI document derive from it.
struct Endpoint: Sendable {
    /// An item of the query.
    struct QueryItem: Sendable {
        let name: String
        let help: String
        let schema: JSON
        var example: JSON?
        var isRequired = false
    }

    /// The body of a successful answer.
    enum Answer: Sendable {
        /// JSON by the component of this name.
        case json(String)
        case text(String)
    }

    typealias Handler = @Sendable (ServerState, Request) throws(Problem) -> Response

    /// The name of the operation, for generators of clients.
    let operation: String
    var method = Method.get
    let path: String
    /// `nil` for anybody.
    let scope: Scope?
    let summary: String
    /// More sentences for the description, after a space.
    var details = ""
    var query: [QueryItem] = []
    /// The schema of the request's body, which is JSON; `nil` without one.
    var body: JSON?
    let answer: Answer
    let handler: Handler

    /// The row of the router.
    func route(_ state: ServerState) -> Route {
        Route(method, path, scope: scope, summary) { [unowned state] request in
            do throws(Problem) { return try handler(state, request) } catch {
                return error.response
            }
        }
    }

    static let all = current + plan + definitions + past + service
}

extension Endpoint.QueryItem {
    static func time(_ name: String, _ help: String) -> Endpoint.QueryItem {
        .init(
            name: name, help: help,
            schema: [
                // A validator need not read formats: a time then matches both strings.
                "anyOf": [
                    [
                        "type": "integer", "minimum": 0,
                        "maximum": .integer(UnixTime.endOf9999.milliseconds),
                    ],
                    ["type": "string", "format": "date-time"],
                    ["type": "string", "format": "date"],
                ]
            ], example: "2026-11-28T09:00:00Z")
    }

    static func word(_ name: String, _ words: [String], _ help: String) -> Endpoint.QueryItem {
        .init(name: name, help: help, schema: ["enum": .array(words.map { .string($0) })])
    }
}

extension Endpoint {
    /// The server itself.
    static let service = [
        Endpoint(
            operation: "getMetrics", path: "/metrics", scope: .read,
            summary: "Metrics for Prometheus", answer: .text("text/plain")
        ) { state, _ in
            .text(ServerMetrics(state).text, type: "text/plain; version=0.0.4")
        },
        Endpoint(
            operation: "getHealth", path: "/healthz", scope: .public,
            summary: "Whether the server works: “ok”, or 503 with a sentence for each fault",
            details: " With the scope read, it says why there is no connection, and warnings follow"
                + " the “ok”, a line each.",
            answer: .text("text/plain")
        ) { state, request in
            let faults = state.faults(for: request.scope)
            guard faults.isEmpty else {
                return Problem(.serviceUnavailable, faults.joined(separator: " ")).response
            }
            return .text(
                (["ok"] + state.warnings(for: request.scope)).map { $0 + "\n" }.joined())
        },
        Endpoint(
            operation: "getDescription", path: "/api/v1/openapi.json", scope: .public,
            summary: "This description", answer: .json("Description")
        ) { _, _ in .json(OpenAPI.document) },
    ]
}

extension Endpoint {
    private static let day = Duration.seconds(86_400)
    private static let span: [QueryItem] = [
        .time("from", "The beginning. The default depends on the route. \(timeForms)"),
        .time("to", "The end. The default is now. \(timeForms)"),
    ]
    private static let timeForms =
        "Milliseconds since 1970, a time with its zone (ISO 8601), or a date: the beginning of the site's day, 04:00."

    /// The formats of an endpoint that has a table, the default first.
    static let formats = ["json", "csv"]

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
                    "format", formats,
                    "csv: a table, whose columns are the places of the members; reasons are GATEWAY STATE MS, with semicolons between them. Without it, the header Accept chooses: text/csv or application/json."
                ),
            ], answer: .json("History")
        ) { state, request throws(Problem) in
            let (site, queue) = try state.queue(request)
            let step = try request.word("step", of: ["minute", "hour", "day"])
            let isTable = try request.wantsTable()
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
            let answer: Response =
                isTable
                ? try .parts(type: "text/csv; charset=utf-8", history.csv(source))
                : try .parts(type: "application/json", history.json(source))
            return answer.adding("vary", "accept")
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
            operation: "listRegionEvents", path: "/api/v1/sites/{site}/regions/{region}/events",
            scope: .read, summary: "The events of a region in the last 24 hours, by their decision",
            details:
                " A beacon that no visitor carries has a `tag` instead of its identity while the server has not heard it since its start. Without `from`, those of the last hour; at most 7 days.",
            query: span, answer: .json("RegionEvents")
        ) { state, request throws(Problem) in
            let (site, region) = try state.item(.regions, request)
            let span = try request.span(now: state.wall, usual: day / 24, atMost: day * 7)
            return try state.regionEvents(site, region, span)
        },
        Endpoint(
            operation: "listBeaconEvents", path: "/api/v1/sites/{site}/beacons/events",
            scope: .read, summary: "The events of registered beacons, and of beacons without a row",
            details: " Without `from`, those of the last day; at most 35 days, which are kept.",
            query: span, answer: .json("BeaconEvents")
        ) { state, request throws(Problem) in
            let site = try state.site(request)
            let span = try request.span(now: state.wall, usual: day, atMost: day * 35)
            return try state.beaconEvents(site, span)
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

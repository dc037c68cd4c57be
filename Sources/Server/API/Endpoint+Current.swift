import HTTP
import JSON
import Posix

extension Endpoint {
    /// The present state.
    static let current = [
        Endpoint(
            operation: "listSites", path: "/api/v1/sites", scope: .public,
            summary: "The sites with their queues and gateways", answer: .json("Sites")
        ) { state, _ in
            .json(["sites": .array(state.sites.map(\.summary))])
        },
        Endpoint(
            operation: "listQueues", path: "/api/v1/sites/{site}/queues", scope: .public,
            summary: "The present state of all queues of a site", answer: .json("Queues")
        ) { state, request throws(Problem) in
            .json(["queues": .array(try state.site(request).states.ordered)])
        },
        Endpoint(
            operation: "getQueue", path: "/api/v1/sites/{site}/queues/{queue}", scope: .public,
            summary: "The present state of a queue", answer: .json("Queue")
        ) { state, request throws(Problem) in
            let (site, queue) = try state.queue(request)
            guard let document = site.states.documents[queue] else {
                throw Problem(
                    .serviceUnavailable,
                    "The server has no state of this queue yet; ask again in a second.",
                    headers: ["retry-after": "1"])
            }
            return .json(document)
        },
        Endpoint(
            operation: "listGateways", path: "/api/v1/sites/{site}/gateways", scope: .public,
            summary: "The gateways of a site, worst first",
            details: " With the scope read, each has its tuning.", answer: .json("Gateways")
        ) { state, request throws(Problem) in
            let gateways = try state.site(request).gateways.json
            return .json(["gateways": .array(gateways.map { $0.gateway(for: request.scope) })])
        },
        Endpoint(
            operation: "getStream", path: "/api/v1/stream", scope: .public,
            summary: "Server-sent events: a snapshot, then changes",
            details:
                " The data of an event is JSON by the schema in parentheses: snapshot (Snapshot), queue (Queue), gateway (Gateway), server (Server), "
                + "minute (Minute; scope: read), and truth (Truth). The stream begins with a snapshot. With the header Last-Event-ID, it "
                + "begins with the events after that one, if the server still has them. A comment every 15 s shows that the connection works. "
                + "When 200 streams are open, a further one ends after the present events, and its field retry asks the client to come back after 10 s.",
            query: [
                .init(
                    name: "site", help: "Only this site.",
                    schema: ["$ref": "common.json#/$defs/name"])
            ], answer: .text("text/event-stream")
        ) { state, request throws(Problem) in
            let site = request.query("site")
            if let site, state.site(named: site) == nil {
                throw Problem(
                    .notFound,
                    "The server measures no site of this name; /api/v1/sites lists them.")
            }
            return .stream(
                EventStream(of: state.events, for: request, topics: site.map { [$0] }) {
                    state.snapshot(of: site, for: request.scope).bytes
                })
        },
    ]
}

extension SiteService {
    fileprivate var summary: JSON {
        [
            "site": .string(layout.site),
            "timeZone": LocalZone.name.map { .string($0) } ?? .null,
            "day": [
                "start": .integer(today.day.span.lowerBound.milliseconds),
                "end": .integer(today.day.span.upperBound.milliseconds),
            ],
            "queues": .array(layout.queues.map { .string($0.name) }),
            "gateways": .array(layout.gateways.map { .string($0) }),
        ]
    }
}

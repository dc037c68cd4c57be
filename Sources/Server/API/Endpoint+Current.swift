import HTTP
import JSON
import Posix
import Primitives
import Results
import ServerConfiguration

extension Endpoint {
    /// The present state.
    static let current = sites + PresentKind.all.flatMap(endpoints) + gateways

    private static let sites = [
        Endpoint(
            operation: "listSites", path: "/api/v1/sites", scope: .public,
            summary: "The sites with their queues and gateways", answer: .json("Sites")
        ) { state, _ in
            .json(["sites": .array(state.sites.map(Site.members.json))])
        }
    ]

    private static let gateways = [
        Endpoint(
            operation: "listGateways", path: "/api/v1/sites/{site}/gateways", scope: .public,
            summary: "The gateways of a site, worst first",
            details: " With the scope read, each has its tuning.", answer: .json("Gateways")
        ) { state, request throws(Problem) in
            let gateways = try state.site(request).gateways.results
            return .json(["gateways": .array(gateways.map { $0.json(for: request.scope) })])
        },
        Endpoint(
            operation: "getStream", path: "/api/v1/stream", scope: .public,
            summary: "Server-sent events: a snapshot, then changes",
            details:
                " The data of an event is JSON by the schema in parentheses: snapshot (Snapshot), "
                + PresentKind.all.map { kind in
                    "\(kind.kind.name) (\(kind.component)\(kind.isPublic ? "" : "; scope: read")), "
                }.joined()
                + "gateway (Gateway), server (Server), "
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

    /// The states of a kind.
    private static func endpoints(_ kind: PresentKind) -> [Endpoint] {
        let (name, list) = (kind.kind.name, kind.list)
        let scope: Scope = kind.isPublic ? .public : .read
        let item = kind.parameters.map { "{\($0)}" }.joined(separator: "/")
        return [
            Endpoint(
                operation: "list\(kind.listComponent)", path: "/api/v1/sites/{site}/\(list)",
                scope: scope, summary: "The present state of all \(list) of a site",
                details: kind.urgency == nil ? "" : " The most urgent first: the work list.",
                query: [
                    .word(
                        "format", formats,
                        "csv: a table, a line for each, whose columns are the places of the members. Without it, the header Accept chooses: text/csv or application/json."
                    )
                ], answer: .json(kind.listComponent)
            ) { state, request throws(Problem) in
                let documents = try state.site(request).states.ordered(kind)
                let answer: Response =
                    try request.wantsTable()
                    ? .text(kind.kind.table(of: documents), type: "text/csv")
                    : .json(.object([.init(list, .array(documents))]))
                return answer.adding("vary", "accept")
            },
            Endpoint(
                operation: "get\(kind.component)",
                path: "/api/v1/sites/{site}/\(list)/\(item)", scope: scope,
                summary: "The present state of a \(name)", answer: .json(kind.component)
            ) { state, request throws(Problem) in
                let (site, item) = try state.item(kind, request)
                guard let document = site.states.document(item, of: kind.kind) else {
                    throw Problem(
                        .serviceUnavailable,
                        "The server has no state of this \(name) yet; ask again in a second.",
                        headers: ["retry-after": "1"])
                }
                return .json(document)
            },
        ]
    }
}

extension Site {
    /// A site in the list of sites.
    static let members: [ResultMember<Site>] =
        [
            .name("site") { $0.layout.site },
            .text(
                "timeZone",
                "The zone of the server's clock, such as Europe/Berlin; null if it has no such name."
            ) { _ in LocalZone.name }.nullable,
            .object(
                "day", "The site's present day, from 04:00 to 04:00 by the server's clock.", of: day
            ) { $0.today.day.span },
        ]
        + PresentKind.named.map { kind in
            .json(kind.list, as: .list(.name)) { .names(kind.items($0.listed)) }
        } + [
            .integer("beacons", "The number of registered beacons with a state.") {
                PresentKind.beacons.items($0.layout).count
            },
            .json("gateways", as: .list(.name)) { .names($0.layout.measuringGateways) },
        ]

    private static let day: [ResultMember<Range<UnixTime>>] = [
        .time("start") { $0.lowerBound }.published(as: .time),
        .time("end") { $0.upperBound }.published(as: .time),
    ]
}

extension JSON {
    fileprivate static func names(_ names: [String]) -> JSON {
        .array(names.map { .string($0) })
    }
}

import Contract
import HTTP
import JSON

/// The description of the API (OpenAPI 3.1), from the endpoints and the schemas of results.
enum OpenAPI {
    static let document: JSON = [
        "openapi": "3.1.0",
        "info": [
            "title": "Sightline server", "version": .string(Version.current),
            "description": .string(text),
        ],
        "servers": [["url": "/"]],
        "paths": .object(paths),
        "components": [
            "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
            "schemas": .object(
                APIComponents.all.map { .init($0.key, $0.value.withLocalReferences) }),
        ],
    ]

    /// The operations of each path, in the order of the paths.
    private static var paths: [JSON.Member] {
        var seen: Set<String> = []
        return Endpoint.all.filter { seen.insert($0.path).inserted }.map { first in
            let same = Endpoint.all.filter { $0.path == first.path }
            return .init(
                first.path,
                .object(same.map { .init($0.method.rawValue.lowercased(), operation($0)) }))
        }
    }

    private static let text =
        "Queues of a store: now, in the past, and why. Times are milliseconds since 1970, UTC; `from` and `to` take ISO 8601 as well. Errors are problem documents (RFC 9457), "
        + "except for requests that the HTTP library refuses before the server sees them, such as one without Host or with a wrong "
        + "Content-Length: 400, 414, 431, 501 or 505 with a short HTML page, or the end of the connection. "
        + "The scope `public` opens the present state of queues, regions, zones and gateways, the plan of a site, typical days, the health of the server and this description. "
        + "`read` opens all operations that change nothing, and `manage` all operations. "
        + "The security requirement of an operation names its scope. No token is needed for `public` unless http.public is false, "
        + "and for `read` on a server without a file of tokens. `manage` always needs one."

    /// Names in the examples of parameters.
    private static let examples: [String: JSON] = [
        "site": "store-042", "queue": "checkout",
        "label": "7f2a90c1d4e85b36", "uuid": "e2c56db5-dffb-48d2-b060-d0f5a71096e0", "major": "42",
        "minor": "7",
    ]

    private static func parameter(_ parameter: JSON, example: JSON?) -> JSON {
        guard case .object(let members) = parameter, let example else { return parameter }
        return .object(members + [.init("example", example)])
    }

    private static func operation(_ endpoint: Endpoint) -> JSON {
        let path = PathTemplate(endpoint.path).parameters.map { name -> JSON in
            parameter(
                [
                    "name": .string(name), "in": "path", "required": true,
                    "schema": ["$ref": "#/components/schemas/name"],
                ], example: examples[name])
        }
        let query = endpoint.query.map { item -> JSON in
            parameter(
                [
                    "name": .string(item.name), "in": "query", "required": .bool(item.isRequired),
                    "description": .string(item.help), "schema": item.schema.withLocalReferences,
                ], example: item.example ?? examples[item.name])
        }
        let scope = endpoint.scope.map { " Scope: \($0.rawValue)." } ?? ""
        let body = endpoint.body.map { schema in
            JSON.Member(
                "requestBody",
                ["required": true, "content": ["application/json": ["schema": schema]]])
        }
        let head: [JSON.Member] = [
            .init("operationId", .string(endpoint.operation)),
            .init("summary", .string(endpoint.summary)),
            .init("description", .string(endpoint.summary + "." + scope + endpoint.details)),
            .init("parameters", .array(path + query)),
        ]
        let problem: JSON = [
            "description": "A fault.",
            "content": [
                "application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]
            ],
        ]
        let success: JSON = ["description": "Success.", "content": content(of: endpoint)]
        let rest: [JSON.Member] = [
            .init("security", security(endpoint.scope)),
            .init("responses", ["200": success, "default": problem]),
        ]
        return .object(head + [body].compactMap(\.self) + rest)
    }

    /// The alternatives: no token, or one with the scope (OpenAPI 3.1, section 4.8.30).
    private static func security(_ scope: Scope?) -> JSON {
        guard let scope else { return [] }
        let token: JSON = ["token": [.string(scope.rawValue)]]
        return scope == .manage ? [token] : [.object([]), token]
    }

    private static func content(of endpoint: Endpoint) -> JSON {
        switch endpoint.answer {
        case .text(let type): return .object([.init(type, ["schema": ["type": "string"]])])
        case .json(let name):
            let reference = JSON.string("#/components/schemas/\(name)")
            var types: [JSON.Member] = [
                .init("application/json", ["schema": ["$ref": reference]])
            ]
            if endpoint.query.contains(where: { $0.name == "format" }) {
                types.append(.init("text/csv", ["schema": ["type": "string"]]))
            }
            return .object(types)
        }
    }
}

extension JSON {
    /// The same schema with the definitions of `common.json` as components.
    fileprivate var withLocalReferences: JSON {
        switch self {
        case .string(let text) where text.hasPrefix("common.json#/$defs/"):
            .string("#/components/schemas/" + text.dropFirst("common.json#/$defs/".count))
        case .array(let elements): .array(elements.map(\.withLocalReferences))
        case .object(let members):
            .object(members.map { .init($0.key, $0.value.withLocalReferences) })
        default: self
        }
    }
}

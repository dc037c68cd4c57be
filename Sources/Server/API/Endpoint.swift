import HTTP
import JSON
import Primitives

/// One route of the API: the router and the OpenAPI document derive from it.
struct Endpoint: Sendable {
    /// An item of the query.
    struct QueryItem: Sendable {
        let name: String
        let help: String
        let schema: JSON
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
    let path: String
    /// `nil` for anybody.
    let scope: Scope?
    let summary: String
    /// More sentences for the description, after a space.
    var details = ""
    var query: [QueryItem] = []
    let answer: Answer
    let handler: Handler

    /// The row of the router.
    func route(_ state: ServerState) -> Route {
        .get(path, scope: scope, summary) { [unowned state] request in
            do throws(Problem) { return try handler(state, request) } catch {
                return error.response
            }
        }
    }

    static let all = current + past + service
}

extension Endpoint.QueryItem {
    static func time(_ name: String, _ help: String) -> Endpoint.QueryItem {
        .init(
            name: name, help: help,
            schema: [
                "type": "integer", "minimum": 0,
                "maximum": .integer(UnixTime.endOf9999.milliseconds),
            ])
    }

    static func word(_ name: String, _ words: [String], _ help: String) -> Endpoint.QueryItem {
        .init(name: name, help: help, schema: ["enum": .array(words.map { .string($0) })])
    }
}

/// The table of all routes. The first route that matches counts.
package struct Router {
    package let routes: [Route]

    package init(_ routes: [Route]) { self.routes = routes }

    /// What a method and a path lead to.
    package enum Match {
        /// A route, by its place in the table, and its parameters' values.
        case route(Int, parameters: [String: String])
        /// OPTIONS for a path that exists.
        case options(allowed: [Method])
        case methodNotAllowed(allowed: [Method])
        case notFound
    }

    package func match(_ method: Method, _ path: [String]) -> Match {
        // A HEAD request gets the answer to GET, without the body.
        let wanted = method == .head ? .get : method
        var allowed: Set<Method> = []
        for (index, route) in routes.enumerated() {
            guard let parameters = route.template.match(path) else { continue }
            if route.method == wanted { return .route(index, parameters: parameters) }
            allowed.insert(route.method)
        }
        guard !allowed.isEmpty else { return .notFound }
        if allowed.contains(.get) { allowed.insert(.head) }
        allowed.insert(.options)
        let sorted = Method.allCases.filter(allowed.contains)
        return method == .options ? .options(allowed: sorted) : .methodNotAllowed(allowed: sorted)
    }
}

/// What a client may do. Each scope includes those before it.
package enum Scope: String, CaseIterable, Comparable, Sendable {
    /// Present and typical values.
    case `public`
    /// Everything that is stored.
    case read
    /// Changes as well.
    case manage

    package static func < (left: Scope, right: Scope) -> Bool { left.level < right.level }

    private var level: Int {
        switch self {
        case .public: 0
        case .read: 1
        case .manage: 2
        }
    }
}

/// One row of a router: what the requests of a path and method get.
package struct Route {
    package typealias Handler = (Request) -> Response

    package let method: Method
    package let template: PathTemplate
    /// What the client must be allowed; `nil` for anybody, as for the page's files.
    package let scope: Scope?
    /// One line for the API's description.
    package let summary: String
    /// Must not wait: it runs in the owner's loop.
    package let handler: Handler

    package init(
        _ method: Method, _ path: String, scope: Scope?, _ summary: String,
        handler: @escaping Handler
    ) {
        self.method = method
        template = PathTemplate(path)
        self.scope = scope
        self.summary = summary
        self.handler = handler
    }

    package static func get(
        _ path: String, scope: Scope?, _ summary: String, handler: @escaping Handler
    ) -> Route {
        Route(.get, path, scope: scope, summary, handler: handler)
    }
}

/// The path of a route: `/api/v1/sites/{site}/queues`.
package struct PathTemplate: Hashable, Sendable, CustomStringConvertible {
    package enum Segment: Hashable, Sendable {
        case literal(String)
        /// Any segment that is not empty.
        case parameter(String)
        /// All further segments, joined with slashes; last in a template: `{path...}`.
        case rest(String)
    }

    package let description: String
    package let segments: [Segment]

    package init(_ text: String) {
        description = text
        segments = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            guard $0.hasPrefix("{"), $0.hasSuffix("}") else { return .literal(String($0)) }
            let name = $0.dropFirst().dropLast()
            return name.hasSuffix("...")
                ? .rest(String(name.dropLast(3))) : .parameter(String(name))
        }
    }

    /// The names of its parameters, in order.
    package var parameters: [String] {
        segments.compactMap {
            switch $0 {
            case .literal: nil
            case .parameter(let name), .rest(let name): name
            }
        }
    }

    /// The parameters' values; `nil` when the path does not match.
    package func match(_ path: [String]) -> [String: String]? {
        var values: [String: String] = [:]
        var rest = path[...]
        for segment in segments {
            if case .rest(let name) = segment {
                values[name] = rest.joined(separator: "/")
                return values
            }
            guard let text = rest.popFirst() else { return nil }
            switch segment {
            case .literal(let literal): guard text == literal else { return nil }
            case .parameter(let name):
                guard !text.isEmpty else { return nil }
                values[name] = text
            case .rest: break
            }
        }
        return rest.isEmpty ? values : nil
    }
}

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

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

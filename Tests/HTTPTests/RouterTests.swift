import HTTP
import Testing

@Suite struct RouterTests {
    private let router = Router([
        .get("/api/sites", scope: .public, "") { _ in .text("sites") },
        .get("/api/sites/{site}/queues/{queue}", scope: .read, "") { _ in .text("queue") },
        Route(.put, "/api/sites/{site}", scope: .manage, "") { _ in .text("changed") },
        .get("/{path...}", scope: nil, "") { _ in .text("file") },
    ])

    private func path(_ text: String) -> [String] {
        text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    }

    @Test(
        "the first route that matches counts",
        arguments: [
            (Method.get, "/api/sites", 0), (.head, "/api/sites", 0),
            (.get, "/api/sites/a/queues/b", 1), (.put, "/api/sites/a", 2),
            (.get, "/", 3), (.get, "/js/app.js", 3), (.get, "/api/sites/a/queues/", 3),
        ])
    func theFirstRouteThatMatchesCounts(_ method: Method, _ text: String, _ index: Int) {
        guard case .route(index, _) = router.match(method, path(text)) else {
            Issue.record("\(router.match(method, path(text)))")
            return
        }
    }

    @Test("parameters have the segments' values")
    func parametersHaveTheSegmentsValues() {
        guard
            case .route(_, let values) = router.match(.get, ["api", "sites", "x", "queues", "y z"])
        else {
            Issue.record("no route")
            return
        }
        #expect(values == ["site": "x", "queue": "y z"])
        #expect(router.routes[1].template.parameters == ["site", "queue"])
    }

    @Test("another method of a known path lists what is allowed")
    func anotherMethodOfAKnownPathListsWhatIsAllowed() {
        guard case .methodNotAllowed(let allowed) = router.match(.delete, ["api", "sites", "x"])
        else {
            Issue.record("no 405")
            return
        }
        #expect(allowed == [.get, .head, .options, .put])
        guard case .options(let same) = router.match(.options, ["api", "sites", "x"]) else {
            Issue.record("no OPTIONS")
            return
        }
        #expect(same == allowed)
    }

    @Test("a path without a route is not found")
    func aPathWithoutARouteIsNotFound() {
        let router = Router([.get("/a", scope: nil, "") { _ in .text("") }])
        guard case .notFound = router.match(.get, ["b"]) else {
            Issue.record("found")
            return
        }
        guard case .notFound = router.match(.options, ["b"]) else {
            Issue.record("found")
            return
        }
    }
}

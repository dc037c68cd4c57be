import HTTP
import JSON

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

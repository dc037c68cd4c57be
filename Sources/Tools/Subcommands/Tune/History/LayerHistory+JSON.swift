import JSON
import Primitives
import Subscriber

extension LayerHistory.Entry {
    /// An object for programs. Times are in milliseconds since the Unix epoch; an unknown value is `null`.
    func json(root: String) -> JSON {
        let sections = document?.sections
        let changes = replaced?.sections.flatMap { old in
            sections.map { Difference(from: old, to: $0).json }
        }
        return .object([
            .init("type", .string("version")), .init("layer", .string(name.layer.rawValue)),
            .init("topic", .string(name.topic(root: root))),
            .init("version", version.map { .integer($0) } ?? .null),
            .init("retained", .bool(isRetained)), .init("conflicting", .bool(isConflicting)),
            .init("publishedAt", publishedAt.orNull),
            .init("replaces", replaced?.version.map { .integer($0) } ?? .null),
            .init("changes", changes ?? .null), .init("settings", sections ?? .null),
            .init(
                "inForce",
                .array(
                    running.map { running in
                        .object(running.gateway.members + [.init("since", running.since.orNull)])
                    })),
            .init("missing", .array(missing.map(\.json))),
        ])
    }
}

extension LayerHistory.Missing {
    fileprivate var json: JSON {
        .object(
            gateway.members + [
                .init("verdict", .string(word)),
                .init("version", version.map { .integer($0) } ?? .null),
                .init("reasons", .array(result.reasons.map { .string($0) })),
            ])
    }
}

extension GatewayName {
    fileprivate var members: [JSON.Member] {
        [.init("site", .string(site)), .init("gateway", .string(id))]
    }
}

extension UnixTime? {
    fileprivate var orNull: JSON { map { .integer($0.milliseconds) } ?? .null }
}

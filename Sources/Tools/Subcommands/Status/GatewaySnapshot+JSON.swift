import Contract
import JSON
import Subscriber
import Terminal

extension GatewaySnapshot {
    /// The object of `--json`, which config/contract/schemas/gateway-status.json describes.
    ///
    /// - Parameter settings: the values in force, of a single gateway.
    func json(settings: [SettingOrigin]? = nil) -> JSON {
        var members: [JSON.Member] = [
            .init("v", 1), .init("site", .string(name.site)), .init("gateway", .string(name.id)),
            .init("state", .string(condition.rawValue)), .init("reason", .string(reason)),
            .init("since", since.map { .integer($0.milliseconds) } ?? .null),
            .init("version", status.map { .string($0.version) } ?? .null),
            .init("clock", clock.map { .string($0.rawValue) } ?? .null),
            .init("inForce", (report?.versions ?? LayerVersions()).object),
            .init("pending", pending.object),
            .init(
                "health",
                health.flatMap { try? JSON(parsing: $0.encoded, maxBytes: Health.maxBytes) }
                    ?? .null),
        ]
        if let settings { members.append(.init("settings", .array(settings.map(\.json)))) }
        return .object(members)
    }
}

extension LayerVersions {
    fileprivate var object: JSON {
        .object(
            Topics.Layer.allCases.map { layer in
                .init(layer.rawValue, self[layer].map { .integer($0) } ?? .null)
            })
    }
}

extension SettingOrigin {
    fileprivate var json: JSON {
        var members: [JSON.Member] = [.init("key", .string(path)), .init("value", value)]
        switch origin {
        case .layer(let layer, let version):
            members += [
                .init("layer", .string(layer.rawValue)), .init("version", .integer(version)),
            ]
        case .local: members.append(.init("layer", "local"))
        case .unknown: members.append(.init("layer", .null))
        }
        return .object(members)
    }
}

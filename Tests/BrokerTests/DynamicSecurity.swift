import Foundation

/// Mosquitto's dynamic security plugin, which can refuse subscriptions. The access-control file
/// can't.
enum DynamicSecurity {
    /// The path of the plugin; `nil` when it is not installed.
    static let plugin: String? = {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib")) ?? []
        return (folders.map { "/usr/lib/\($0)/" } + ["/usr/lib/"])
            .map { $0 + "mosquitto_dynamic_security.so" }
            .first(where: FileManager.default.fileExists)
    }()

    /// Its file: all clients have all rights, except the subscription to one topic.
    static func refusing(_ topic: String) throws -> String {
        let all = ["publishClientSend", "publishClientReceive", "subscribePattern"].map {
            ["acltype": $0, "topic": "#", "priority": 0, "allow": true] as [String: Any]
        }
        let none: [String: Any] = [
            "acltype": "subscribeLiteral", "topic": topic, "priority": 1, "allow": false,
        ]
        let object: [String: Any] = [
            "anonymousGroup": "all", "clients": [] as [Any],
            "groups": [["groupname": "all", "roles": [["rolename": "all"]]]],
            "roles": [["rolename": "all", "acls": all + [none]]],
        ]
        return String(
            decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }
}

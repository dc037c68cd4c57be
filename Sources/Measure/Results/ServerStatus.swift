/// The state of a server: the retained message of its topic, and its will.
package struct ServerStatus: ResultDocument {
    package let isOnline: Bool
    package let version: String
    package let session: String
    /// `nil` in the will, which is written before it is known.
    package let isDurable: Bool?

    package init(isOnline: Bool, version: String, session: String, isDurable: Bool?) {
        self.isOnline = isOnline
        self.version = version
        self.session = session
        self.isDurable = isDurable
    }

    package static let kind = ResultKind(
        "server-status", file: "server-status", topic: nil, title: "State of a server",
        help: "Retained. The will says offline. Subscribers must ignore unknown members.", members)

    package static let members: [ResultMember<ServerStatus>] = [
        .constant("v", 1),
        .word("state", of: ["online", "offline"]) { $0.isOnline ? "online" : "offline" },
        .text("version", "The server's version.") { $0.version },
        .json("session", as: .reference("common.json#/$defs/session")) { .string($0.session) },
        .flag(
            "durable",
            "false: the disk does not work, and results are in memory only. null in the will: the broker does not know it."
        ) { $0.isDurable }.nullable,
    ]
}

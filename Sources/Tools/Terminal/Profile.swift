import Configuration
import Contract
import JSON

/// A broker, its topics and the user's credentials under a name: `profile.json` in a folder of that name.
package struct Profile: ConfigurationSection {
    /// The certificate of one command: a name has one connection at a time.
    package struct CommandCertificate: ConfigurationSection {
        package var certFile: String?
        package var keyFile: String?

        package init() {}

        package static let help =
            "The certificate of this command. A name has one connection at a time, so commands that "
            + "run in parallel need different names."
        package static let keys: [ConfigurationKey<CommandCertificate>] = [
            .optional("certFile", \.certFile, .path, example: "alice.watch.crt", help: "PEM."),
            .optional("keyFile", \.keyFile, .path, example: "alice.watch.key", help: "PEM."),
        ]
        package static let rules = BrokerSettings.TLS.rules
    }

    package var broker = BrokerURL.local
    package var root = Topics.usualRoot
    package var site: String?
    package var username: String?
    package var passwordFile: String?
    package var tls: BrokerSettings.TLS?
    package var watch: CommandCertificate?
    package var status: CommandCertificate?
    package var queue: CommandCertificate?

    package init() {}

    package static let help = "A connection of the command sightline."
    package static let keys: [ConfigurationKey<Profile>] = [
        .value(
            "broker", \.broker,
            .parsed(
                expecting: BrokerURL.rule, schema: ["type": "string", "pattern": "^mqtts?://"],
                json: { "\($0)" }, parse: { try? BrokerURL($0) }),
            isRequired: true, example: "mqtts://broker.example",
            help: "mqtt://HOST[:PORT], or mqtts:// for TLS."),
        .value("root", \.root, .topicRoot, help: "The root of all topics."),
        .optional(
            "site", \.site, .name, example: "store-042",
            help: "The site of status and watch without --site. tune ignores it."),
        .optional(
            "username", \.username, .text(maxBytes: 1024), example: "alice",
            help: "The user name at the broker."),
        .optional(
            "passwordFile", \.passwordFile, .path, example: "password",
            help: "A file with one line. A relative path begins in the folder of this file."),
        .optionalSection("tls", \.tls),
        .optionalSection("watch", \.watch),
        .optionalSection("status", \.status),
        .optionalSection("queue", \.queue),
    ]
    package static let rules: JSON = ["dependentRequired": ["passwordFile": ["username"]]]

    package func complete(_ reader: inout ObjectReader) {
        if passwordFile != nil, username == nil {
            reader.note(
                "username", .missing, "username is required where there is a passwordFile")
        }
        guard !broker.usesTLS else { return }
        for key in ["tls", "watch", "status", "queue"] where reader.has(key) {
            reader.note(key, .outOfRange, "\(key) is for TLS: the broker must begin with mqtts://")
        }
    }

    /// The certificate of a command, with its key.
    func certificate(for command: String) -> (certFile: String, keyFile: String)? {
        let own: CommandCertificate? =
            switch command {
            case "watch": watch
            case "status": status
            case "queue": queue
            default: nil
            }
        guard let certificate = own?.certFile ?? tls?.certFile,
            let key = own?.certFile == nil ? tls?.keyFile : own?.keyFile
        else { return nil }
        return (certificate, key)
    }
}

import CommandSupport
import Configuration
import Contract
import JSON
import ServerConfiguration

/// The commented example of a configuration file: every key with its help, its limits and its default, or an example.
package struct ConfigurationExample {
    /// The file's text.
    package let text: String

    /// `config/sightlined.json`.
    package static var agent: ConfigurationExample {
        var defaults = LocalConfiguration(topics: .unnamed)
        defaults.broker = BrokerSettings()
        defaults.broker?.tls = BrokerSettings.TLS()
        defaults.settings.advertise = AdvertiseSettings()
        defaults.homeAssistant = HomeAssistantSettings()
        return ConfigurationExample(
            LocalConfiguration.keys, defaults, of: "The configuration of one gateway.",
            check: "sightlined --config sightlined.json --check",
            required: "\"site\", \"id\" and \"host\"")
    }

    /// `config/server.json`.
    package static var server: ConfigurationExample {
        var defaults = ServerConfiguration()
        defaults.broker = BrokerSettings()
        defaults.broker?.tls = BrokerSettings.TLS()
        defaults.homeAssistant = QueueDiscoverySettings()
        return ConfigurationExample(
            ServerConfiguration.keys, defaults, of: "The configuration of a server.",
            check: "sightline-server --config server.json --check",
            required: "\"host\" and \"sites\"")
    }

    /// `config/profile.json`.
    package static var profile: ConfigurationExample {
        var defaults = Profile()
        defaults.tls = BrokerSettings.TLS()
        (defaults.watch, defaults.status, defaults.queue) = (.init(), .init(), .init())
        return ConfigurationExample(
            Profile.keys, defaults, of: "A profile of the command sightline.",
            check: "sightline status --profile NAME", required: "\"broker\"")
    }

    private init<Root>(
        _ keys: [ConfigurationKey<Root>], _ defaults: Root, of purpose: String, check: String,
        required: String
    ) {
        let head = [
            "// \(purpose) This file is generated from the declarations in Sources.", "//",
            "//     \(check)", "//",
            "// checks a configuration. Required: \(required). The values are the defaults,",
            "// except where the comment begins with \"Example\". Comments are allowed.",
        ]
        let lines = head + Self.object(keys, defaults, indentation: 0)
        text = lines.joined(separator: "\n") + "\n"
    }

    private static func object<Root>(
        _ keys: [ConfigurationKey<Root>], _ defaults: Root, indentation: Int,
        after start: String = ""
    ) -> [String] {
        let blanks = String(repeating: " ", count: indentation)
        let inner = blanks + "  "
        var lines = [blanks + start + "{"]
        for (index, key) in keys.enumerated() {
            lines += comment(key).wrapped(width: 97 - inner.count).map { "\(inner)// \($0)" }
            let name = "\(JSON.string(key.name).text): "
            var value: [String]
            if let members = key.members {
                value = object(members, defaults, indentation: indentation + 2, after: name)
            } else {
                let shown = key.example ?? key.json(defaults) ?? .null
                value = shown.lines(indentation: indentation + 2, after: name)
            }
            if index < keys.count - 1, let last = value.popLast() { value.append(last + ",") }
            lines += value
            if indentation == 0, index < keys.count - 1 { lines.append("") }
        }
        return lines + [blanks + "}"]
    }

    private static func comment<Root>(_ key: ConfigurationKey<Root>) -> String {
        var sentences = [key.help]
        if key.example != nil { sentences.insert("Example.", at: 0) }
        if !key.limits.isEmpty { sentences.append("Allowed: \(key.limits).") }
        if key.effect == .afterRestart { sentences.append("A change needs a restart.") }
        if GatewaySettings.keys.contains(where: { $0.name == key.name }) {
            sentences.append("Layers can change these settings.")
        }
        return sentences.joined(separator: " ")
    }
}

extension String {
    fileprivate func wrapped(width: Int) -> [String] {
        var lines: [String] = []
        for word in split(separator: " ") {
            if let line = lines.last, line.count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}

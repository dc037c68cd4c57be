import Beacons
import Configuration
import Contract
import JSON
import Queueing
import ServerConfiguration
import Terminal

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

    /// - Parameters:
    ///   - shown: the values, where a key has no example.
    ///   - defaults: where `shown` has other values as examples; `nil` where it has the defaults.
    private static func object<Root>(
        _ keys: [ConfigurationKey<Root>], _ shown: Root, defaults: Root? = nil, indentation: Int,
        after start: String = ""
    ) -> [String] {
        let blanks = String(repeating: " ", count: indentation)
        let inner = blanks + "  "
        var lines = [blanks + start + "{"]
        for (index, key) in keys.enumerated() {
            lines += comment(key, isExample: isExample(key, shown, defaults))
                .wrapped(width: 97 - inner.count).map { "\(inner)// \($0)" }
            let name = "\(JSON.string(key.name).text): "
            var value: [String]
            if let members = key.members {
                value = object(
                    members, shown, defaults: defaults, indentation: indentation + 2, after: name)
            } else if let element = element(of: key, indentation: indentation + 4) {
                value = ["\(inner)\(name)["] + element + ["\(inner)]"]
            } else {
                let json = key.example ?? key.json(shown) ?? .null
                value = json.lines(indentation: indentation + 2, after: name)
            }
            if index < keys.count - 1, let last = value.popLast() { value.append(last + ",") }
            lines += value
            if indentation == 0, index < keys.count - 1 { lines.append("") }
        }
        return lines + [blanks + "}"]
    }

    /// The only element of a list whose elements have keys of their own; `nil` for other keys.
    private static func element<Root>(
        of key: ConfigurationKey<Root>, indentation: Int
    ) -> [String]? {
        switch key.name {
        case "sites":
            object(
                SiteLayout.keys, .example, defaults: SiteLayout(), indentation: indentation)
        case "queues":
            object(
                QueueLayout.keys, .example, defaults: QueueLayout(), indentation: indentation)
        default: nil
        }
    }

    private static func isExample<Root>(
        _ key: ConfigurationKey<Root>, _ shown: Root, _ defaults: Root?
    ) -> Bool {
        guard key.example == nil, key.members == nil, let defaults else {
            return key.example != nil
        }
        return key.json(shown) != key.json(defaults)
    }

    private static func comment<Root>(
        _ key: ConfigurationKey<Root>, isExample: Bool
    ) -> String {
        var sentences = [key.help]
        if isExample { sentences.insert("Example.", at: 0) }
        if !key.limits.isEmpty { sentences.append("Allowed: \(key.limits).") }
        if key.effect == .afterRestart { sentences.append("A change needs a restart.") }
        if GatewaySettings.keys.contains(where: { $0.name == key.name }) {
            sentences.append("Layers can change these settings.")
        }
        return sentences.joined(separator: " ")
    }
}

extension SiteLayout {
    /// A site with every key. Its queues are those of `QueueLayout.example`.
    fileprivate static let example = SiteLayout {
        $0.site = "store-042"
        $0.queues = [.example]
        $0.beacons.staff = [.example(minor: 900...999)]
        $0.beacons.gateway = [.example(minor: 1...20)]
    }
}

extension QueueLayout {
    fileprivate static let example = QueueLayout {
        $0.name = "checkout"
        $0.entry = ["entry-1"]
        $0.till = ["till-1", "till-2"]
        $0.coverage = CoverageSettings { $0.percent = 30 }
    }
}

extension BeaconRange {
    fileprivate static func example(minor: ClosedRange<UInt16>) -> BeaconRange {
        BeaconRange {
            $0.uuid = ProximityUUID("e2c56db5-dffb-48d2-b060-d0f5a71096e0") ?? $0.uuid
            $0.major = 42...42
            $0.minor = minor
        }
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

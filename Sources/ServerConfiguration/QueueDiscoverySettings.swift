import Configuration
import Contract

/// The queues in Home Assistant: the section `homeAssistant` of the server's file.
package struct QueueDiscoverySettings: ConfigurationSection {
    /// The topic prefix of discovery documents.
    package var discoveryPrefix = HomeAssistantSettings.usualPrefix

    package init() {}

    package static let help =
        "The queues in Home Assistant. Without this section, the server publishes nothing for Home "
        + "Assistant."
    package static let keys: [ConfigurationKey<QueueDiscoverySettings>] = [
        .value(
            "discoveryPrefix", \.discoveryPrefix, .topicRoot,
            help: "The topic prefix where Home Assistant looks for discovery documents.")
    ]
}

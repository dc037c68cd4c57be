import Contract
import HomeAssistant
import MQTT
import Queueing
import ServerConfiguration

/// The discovery documents of queues for Home Assistant.
struct DiscoveryPublisher {
    private let prefix: String
    private let topics: ResultTopics
    private let server: String

    /// `nil` without the section `homeAssistant`.
    init?(_ configuration: ServerConfiguration) {
        guard let settings = configuration.homeAssistant else { return nil }
        prefix = settings.discoveryPrefix
        topics = ResultTopics(root: configuration.resultsRoot)
        server = configuration.id
    }

    func publications(of sites: [SiteLayout]) -> [Publication] {
        sites.flatMap { site in
            site.queues.map { queue in
                let discovery = QueueDiscovery(
                    prefix: prefix, topics: topics, site: site.site, queue: queue.name,
                    server: server, version: Version.current)
                return Publication(
                    topic: discovery.topic, payload: discovery.encoded, isRetained: true,
                    contentType: "application/json")
            }
        }
    }
}

import Contract
import JSON

/// The retained discovery document of a queue, from which Home Assistant creates one device with its entities.
///
/// A value that the server does not know is `None`, which Home Assistant shows as unknown, and never 0.
package struct QueueDiscovery: Sendable {
    private let topics: ResultTopics
    private let site: String
    private let queue: String
    private let server: String
    private let version: String
    /// Where the document is. No gateway has a site named `_queues`: its underscore would be two.
    package let topic: String

    package init(
        prefix: String, topics: ResultTopics, site: String, queue: String, server: String,
        version: String
    ) {
        self.topics = topics
        self.site = site
        self.queue = queue
        self.server = server
        self.version = version
        let name = "\(HomeDiscovery.level(site))_-\(HomeDiscovery.level(queue))"
        topic = "\(prefix)/device/_queues/\(name)/config"
    }

    /// The document's bytes.
    package var encoded: [UInt8] {
        let device: JSON = [
            "identifiers": [.string(topics.topic(site: site, queue: queue))],
            "name": .string("\(site) \(queue)"), "manufacturer": "Sightline", "model": "Queue",
            "sw_version": .string(version),
        ]
        return JSON.object([
            .init("device", device),
            .init("origin", ["name": "sightline-server", "sw_version": .string(version)]),
            .init("qos", 1),
            .init("availability_topic", .string(topics.status(of: server))),
            .init(
                "availability_template",
                "{{ 'offline' if value_json.state == 'offline' else 'online' }}"),
            .init("components", .object(components)),
        ]).bytes
    }

    private var components: [JSON.Member] {
        let measurement: JSON.Member = .init("state_class", "measurement")
        let duration: [JSON.Member] = [
            .init("device_class", "duration"), .init("unit_of_measurement", "s"), measurement,
        ]
        return [
            component(
                "length", "sensor", "People in line",
                "value_json.length.people | round if value_json.length else none", [measurement]),
            component(
                "wait", "sensor", "Wait",
                "(value_json.wait.ms / 1000) | round if value_json.wait else none", duration),
            component(
                "p90", "sensor", "Wait that 1 in 10 exceed",
                "(value_json.leavers.p90Ms / 1000) | round "
                    + "if value_json.leavers and value_json.leavers.p90Ms is not none else none",
                duration),
            component(
                "problem", "binary_sensor", "Problem",
                "'OFF' if value_json.state == 'ok' else 'ON'",
                [.init("device_class", "problem"), .init("entity_category", "diagnostic")]),
        ]
    }

    private func component(
        _ key: String, _ platform: String, _ name: String, _ expression: String,
        _ options: [JSON.Member]
    ) -> JSON.Member {
        let place = topics.topic(site: site, queue: queue)
        let members: [JSON.Member] = [
            .init("platform", .string(platform)), .init("unique_id", .string("\(place)/\(key)")),
            .init("name", .string(name)), .init("state_topic", .string(place)),
            .init("value_template", .string("{{ \(expression) }}")),
        ]
        return .init(key, .object(members + options))
    }
}

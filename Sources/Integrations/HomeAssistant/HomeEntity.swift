import Contract
import JSON

/// An entity of a gateway in Home Assistant: its platform, and the template that reads its state
/// from our messages.
struct HomeEntity: Sendable {
    enum Platform: String, Sendable {
        case sensor
        case binarySensor = "binary_sensor"
        case tracker = "device_tracker"
    }

    let key: String
    let platform: Platform
    let name: String
    let topic: Topics.Kind
    /// A Jinja template over the message, `value_json`.
    let template: String
    /// The platform's own options, by their documented names.
    let options: [JSON.Member]

    /// Whether the gateway is online: the only entity that is always available.
    static let connection = HomeEntity(
        key: "connection", platform: .binarySensor, name: "Connection", topic: .status,
        template: "{{ 'OFF' if value_json.state == 'offline' else 'ON' }}",
        options: diagnostic([option("device_class", "connectivity")]))

    /// A gateway's entities, but for its trackers.
    static let all: [HomeEntity] = [
        connection,
        problem(
            "radio", "Radio", .status, "'ON' if value_json.state == 'degraded' else 'OFF'"),
        problem(
            "clock", "Clock", .status, "'OFF' if value_json.clock == 'synced' else 'ON'"),
        problem("disk", "Disk", .health, "'OFF' if value_json.outbox.durable else 'ON'"),
        counter("reports", "Reports", "value_json.radio.reports"),
        counter("beacons", "Beacon reports", "value_json.radio.beacons"),
        counter("dropped", "Dropped packets", "value_json.radio.dropped"),
        duration(
            "last-report", "Latest report",
            "(value_json.radio.lastReportAgeMs / 1000) | round(1) "
                + "if 'lastReportAgeMs' in value_json.radio else none"),
        counter("acknowledged", "Delivered messages", "value_json.messages.acknowledged"),
        counter("lost", "Lost messages", "value_json.messages.lost"),
        counter("reconnects", "Reconnects", "value_json.broker.reconnects"),
        measurement("waiting", "Waiting messages", "value_json.outbox.batches"),
        size("waiting-bytes", "Waiting data", "value_json.outbox.bytes"),
        duration(
            "waiting-age", "Oldest waiting message",
            "(value_json.outbox.oldestAgeMs | default(0) / 1000) | round(1)"),
        size("memory", "Memory", "value_json.process.residentBytes"),
        counter(
            "processor", "Processor time", "value_json.process.cpuSeconds",
            [option("device_class", "duration"), option("unit_of_measurement", "s")]),
        duration("uptime", "Uptime", "value_json.uptimeSeconds"),
    ]

    /// A chosen beacon.
    static func tracker(_ tracker: Tracker) -> HomeEntity {
        let identity = tracker.identity
        return HomeEntity(
            key: tracker.key, platform: .tracker, name: tracker.name, topic: .trackers,
            template: "{{ value_json.trackers | selectattr('uuid', 'eq', '\(identity.uuid)') "
                + "| selectattr('major', 'eq', \(identity.major)) "
                + "| selectattr('minor', 'eq', \(identity.minor)) "
                + "| map(attribute='state') | first | default('unknown') }}",
            options: [
                option("source_type", "bluetooth_le"), option("payload_home", "home"),
                option("payload_not_home", "not_home"), option("payload_reset", "unknown"),
            ])
    }

    private static func option(_ key: String, _ value: String) -> JSON.Member {
        JSON.Member(key, .string(value))
    }

    private static func diagnostic(_ options: [JSON.Member]) -> [JSON.Member] {
        options + [option("entity_category", "diagnostic")]
    }

    private static func problem(
        _ key: String, _ name: String, _ topic: Topics.Kind, _ expression: String
    ) -> HomeEntity {
        HomeEntity(
            key: key, platform: .binarySensor, name: name, topic: topic,
            template: "{{ \(expression) }}",
            options: diagnostic([option("device_class", "problem")]))
    }

    private static func sensor(
        _ key: String, _ name: String, _ expression: String, _ options: [JSON.Member]
    ) -> HomeEntity {
        // Health comes every 30 s and is not retained: an older message is stale.
        let expiry = JSON.Member("expire_after", .integer(120))
        return HomeEntity(
            key: key, platform: .sensor, name: name, topic: .health,
            template: "{{ \(expression) }}", options: diagnostic(options + [expiry]))
    }

    private static func counter(
        _ key: String, _ name: String, _ expression: String, _ options: [JSON.Member] = []
    ) -> HomeEntity {
        sensor(key, name, expression, options + [option("state_class", "total_increasing")])
    }

    private static func measurement(
        _ key: String, _ name: String, _ expression: String, _ options: [JSON.Member] = []
    ) -> HomeEntity {
        sensor(key, name, expression, options + [option("state_class", "measurement")])
    }

    private static func size(_ key: String, _ name: String, _ expression: String) -> HomeEntity {
        measurement(
            key, name, expression,
            [option("device_class", "data_size"), option("unit_of_measurement", "B")])
    }

    private static func duration(
        _ key: String, _ name: String, _ expression: String
    ) -> HomeEntity {
        measurement(
            key, name, expression,
            [option("device_class", "duration"), option("unit_of_measurement", "s")])
    }
}

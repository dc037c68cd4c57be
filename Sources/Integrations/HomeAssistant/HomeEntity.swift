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
    static let all = states + sensors

    private static let states: [HomeEntity] = [
        connection,
        problem(
            "radio", "Radio", .status, "'ON' if value_json.state == 'degraded' else 'OFF'"),
        problem(
            "clock", "Clock", .status, "'OFF' if value_json.clock == 'synced' else 'ON'"),
    ]

    /// Of the members of `health` that have a sensor: the faults, then those of the sections, then the general ones.
    private static let sensors: [HomeEntity] = {
        let members =
            Health.sections.flatMap { section in
                section.members.map { (member: $0, path: "value_json.\(section.name)") }
            } + Health.general.map { ($0, "value_json") }
        let faults = members.filter { $0.member.kind == .flag }
        let others = members.filter { $0.member.kind != .flag }
        return (faults + others).compactMap { entity(of: $0.member, in: $0.path) }
    }()

    /// The entity of a member of `health`; `nil` if it has no sensor.
    ///
    /// - Parameter object: the template's path of the object that has the member.
    private static func entity(of member: HealthMember, in object: String) -> HomeEntity? {
        guard let sensor = member.sensor else { return nil }
        let path = "\(object).\(member.name)"
        let name = sensor.name
        switch member.kind {
        case .flag: return problem(sensor.key, name, .health, "'OFF' if \(path) else 'ON'")
        case .counter: return counter(sensor.key, name, path)
        case .secondsTotal: return counter(sensor.key, name, path, inSeconds)
        case .bytes: return measurement(sensor.key, name, path, inBytes)
        case .seconds: return measurement(sensor.key, name, path, inSeconds)
        case .milliseconds:
            let expression =
                member.isZeroIfAbsent
                ? "(\(path) | default(0) / 1000) | round(1)"
                : "(\(path) / 1000) | round(1) if '\(member.name)' in \(object) else none"
            return measurement(sensor.key, name, expression, inSeconds)
        case .gauge, .time, .word, .text: return measurement(sensor.key, name, path)
        }
    }

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

    private static let inBytes = [
        option("device_class", "data_size"), option("unit_of_measurement", "B"),
    ]
    private static let inSeconds = [
        option("device_class", "duration"), option("unit_of_measurement", "s"),
    ]
}

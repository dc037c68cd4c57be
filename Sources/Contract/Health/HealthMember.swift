import JSON
import Primitives

/// Everything that Sightline knows about one member of the message `health`.
///
/// The message, its schema, the metric and the entity of Home Assistant derive from it.
package struct HealthMember: Sendable {
    /// What the member counts or measures.
    package enum Kind: Equatable, Sendable {
        /// Grows until the agent exits.
        case counter
        /// Rises and falls.
        case gauge
        case bytes
        /// A duration in milliseconds.
        case milliseconds
        /// A duration in seconds.
        case seconds
        /// Seconds that grow until the agent exits.
        case secondsTotal
        /// A time in milliseconds since the epoch.
        case time
        /// A condition; false is a fault.
        case flag
        /// One of the words that common.json defines under this name. The metric is whether it is `normal`.
        case word(definition: String, normal: String)
        /// Free text; a label of its metric.
        case text
    }

    package enum Value: Equatable, Sendable {
        case unsigned(UInt64)
        case signed(Int64)
        case decimal(Double)
        case flag(Bool)
        case text(String)
    }

    /// The sensor of Home Assistant that shows a member.
    package struct Sensor: Sendable {
        /// The key in the discovery document; it never changes.
        package let key: String
        package let name: String

        package init(_ key: String, _ name: String) {
            self.key = key
            self.name = name
        }
    }

    package let name: String
    package let kind: Kind
    /// Its meaning, as one sentence.
    package let help: String
    /// The name of its metric, without the prefix and the suffix of its kind.
    package let metric: String
    package let sensor: Sensor?
    /// Whether the member may be absent.
    package let isOptional: Bool
    /// Whether the metric is 0 while the member is absent, rather than absent itself.
    package let isZeroIfAbsent: Bool
    /// The value; `nil` where the member is absent.
    package let value: @Sendable (Health) -> Value?
    /// Reads the member of an object. An absent one, such as of an older agent, changes nothing.
    let read: @Sendable (inout ObjectReader, inout Health) -> Void
}

extension HealthMember {
    private init(
        _ name: String, _ kind: Kind, metric: String, sensor: Sensor? = nil,
        isOptional: Bool = false, isZeroIfAbsent: Bool = false, help: String,
        value: @escaping @Sendable (Health) -> Value?,
        read: @escaping @Sendable (inout ObjectReader, inout Health) -> Void
    ) {
        self.init(
            name: name, kind: kind, help: help, metric: metric, sensor: sensor,
            isOptional: isOptional, isZeroIfAbsent: isZeroIfAbsent, value: value, read: read)
    }

    static func counter(
        _ name: String, _ path: WritableKeyPath<Health, UInt64> & Sendable, metric: String,
        sensor: Sensor? = nil, help: String
    ) -> HealthMember {
        HealthMember(name, .counter, metric: metric, sensor: sensor, help: help) {
            .unsigned($0[keyPath: path])
        } read: { reader, health in
            let value = reader.optionalInteger(name, in: 0...UInt64.max)
            value.map { health[keyPath: path] = $0 }
        }
    }

    /// A counter that is absent while it is 0.
    static func rareCounter(
        _ name: String, _ path: WritableKeyPath<Health, UInt64> & Sendable, metric: String,
        help: String
    ) -> HealthMember {
        HealthMember(
            name, .counter, metric: metric, isOptional: true, isZeroIfAbsent: true, help: help
        ) {
            $0[keyPath: path] == 0 ? nil : .unsigned($0[keyPath: path])
        } read: { reader, health in
            let value = reader.optionalInteger(name, in: 0...UInt64.max)
            value.map { health[keyPath: path] = $0 }
        }
    }

    /// A number of any other kind.
    static func number<Number: SignedInteger & Sendable>(
        _ name: String, _ kind: Kind, _ path: WritableKeyPath<Health, Number> & Sendable,
        metric: String, sensor: Sensor? = nil, help: String
    ) -> HealthMember {
        HealthMember(name, kind, metric: metric, sensor: sensor, help: help) {
            .signed(Int64(clamping: $0[keyPath: path]))
        } read: { reader, health in
            let value = reader.optionalInteger(name, in: 0...Int64.max)
            value.map { health[keyPath: path] = Number(clamping: $0) }
        }
    }

    /// A number that may be absent.
    static func optional<Number: SignedInteger & Sendable>(
        _ name: String, _ kind: Kind, _ path: WritableKeyPath<Health, Number?> & Sendable,
        metric: String,
        isZeroIfAbsent: Bool = false, sensor: Sensor? = nil, help: String
    ) -> HealthMember {
        HealthMember(
            name, kind, metric: metric, sensor: sensor, isOptional: true,
            isZeroIfAbsent: isZeroIfAbsent, help: help
        ) {
            $0[keyPath: path].map { .signed(Int64(clamping: $0)) }
        } read: { reader, health in
            let value = reader.optionalInteger(name, in: 0...Int64.max)
            value.map { health[keyPath: path] = Number(clamping: $0) }
        }
    }

    static func time(
        _ name: String, _ path: WritableKeyPath<Health, UnixTime> & Sendable, metric: String,
        help: String
    ) -> HealthMember {
        HealthMember(name, .time, metric: metric, help: help) {
            .signed($0[keyPath: path].milliseconds)
        } read: { reader, health in
            let value = reader.optionalInteger(name, in: 0...Int64.max)
            value.map { health[keyPath: path] = UnixTime(milliseconds: $0) }
        }
    }

    /// A time that may be unknown.
    static func optionalTime(
        _ name: String, _ path: WritableKeyPath<Health, UnixTime?> & Sendable, metric: String,
        help: String
    ) -> HealthMember {
        HealthMember(name, .time, metric: metric, isOptional: true, help: help) {
            $0[keyPath: path].map { .signed($0.milliseconds) }
        } read: { reader, health in
            let value = reader.optionalInteger(name, in: 0...Int64.max)
            value.map { health[keyPath: path] = UnixTime(milliseconds: $0) }
        }
    }

    static func seconds(
        _ name: String, _ path: WritableKeyPath<Health, Duration> & Sendable, metric: String,
        sensor: Sensor, help: String
    ) -> HealthMember {
        HealthMember(name, .seconds, metric: metric, sensor: sensor, help: help) {
            .signed($0[keyPath: path].wholeSeconds)
        } read: { reader, health in
            let value = reader.optionalInteger(name, in: 0...Int64.max)
            value.map { health[keyPath: path] = .seconds($0) }
        }
    }

    /// A time in milliseconds that may be unknown.
    static func optionalMilliseconds(
        _ name: String, _ path: WritableKeyPath<Health, Duration?> & Sendable, metric: String,
        isZeroIfAbsent: Bool = false, sensor: Sensor, help: String
    ) -> HealthMember {
        HealthMember(
            name, .milliseconds, metric: metric, sensor: sensor, isOptional: true,
            isZeroIfAbsent: isZeroIfAbsent, help: help
        ) {
            $0[keyPath: path].map { .signed($0.milliseconds) }
        } read: { reader, health in
            let value = reader.optionalInteger(name, in: 0...Int64.max)
            value.map { health[keyPath: path] = .milliseconds($0) }
        }
    }

    static func secondsTotal(
        _ name: String, _ path: WritableKeyPath<Health, Double> & Sendable, metric: String,
        sensor: Sensor, help: String
    ) -> HealthMember {
        HealthMember(name, .secondsTotal, metric: metric, sensor: sensor, help: help) {
            .decimal($0[keyPath: path])
        } read: { reader, health in
            let value = reader.optionalNumber(name, in: 0...1e12)
            value.map { health[keyPath: path] = $0 }
        }
    }

    static func flag(
        _ name: String, _ path: WritableKeyPath<Health, Bool> & Sendable, metric: String,
        sensor: Sensor, help: String
    ) -> HealthMember {
        HealthMember(name, .flag, metric: metric, sensor: sensor, help: help) {
            .flag($0[keyPath: path])
        } read: { reader, health in
            let value = reader.optionalBool(name)
            value.map { health[keyPath: path] = $0 }
        }
    }

    /// A condition that may be unknown.
    static func optionalFlag(
        _ name: String, _ path: WritableKeyPath<Health, Bool?> & Sendable, metric: String,
        isZeroIfAbsent: Bool, help: String
    ) -> HealthMember {
        HealthMember(
            name, .flag, metric: metric, isOptional: true, isZeroIfAbsent: isZeroIfAbsent,
            help: help
        ) {
            $0[keyPath: path].map { .flag($0) }
        } read: { reader, health in
            let value = reader.optionalBool(name)
            value.map { health[keyPath: path] = $0 }
        }
    }

    static func text(
        _ name: String, _ path: WritableKeyPath<Health, String?> & Sendable, metric: String,
        help: String
    ) -> HealthMember {
        HealthMember(name, .text, metric: metric, isOptional: true, help: help) {
            $0[keyPath: path].map { .text($0) }
        } read: { reader, health in
            let value = reader.optionalString(name)
            value.map { health[keyPath: path] = $0 }
        }
    }

    static func word<Word: RawRepresentable<String> & Sendable>(
        _ name: String, of definition: String, normal: Word,
        _ path: WritableKeyPath<Health, Word> & Sendable, metric: String, help: String
    ) -> HealthMember {
        HealthMember(
            name, .word(definition: definition, normal: normal.rawValue), metric: metric,
            help: help
        ) {
            .text($0[keyPath: path].rawValue)
        } read: { reader, health in
            let value = reader.optionalParsed(name, expecting: "a word of the contract") {
                Word(rawValue: $0)
            }
            value.map { health[keyPath: path] = $0 }
        }
    }
}

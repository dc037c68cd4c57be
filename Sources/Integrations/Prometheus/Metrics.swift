import Contract
import Sightings

/// The metrics of an agent for Prometheus: the content of the topic `health`, and the other topics'
/// facts about its radio, its broker and its sightings.
package struct Metrics: Sendable {
    package var topics: Topics
    package var version: String
    package var health: Health
    package var isDegraded = false
    package var isConnected = false
    package var sightings = SightingTally()

    package init(topics: Topics, version: String, health: Health) {
        self.topics = topics
        self.version = version
        self.health = health
    }

    /// The text that Prometheus reads.
    package var text: String {
        // On every sample, so that two agents of one machine do not collide.
        var exposition = Exposition(labels: [("site", topics.site), ("gateway", topics.gateway)])
        exposition.info(
            "agent", "Who writes this.", [("version", version), ("session", health.session)])
        exposition.write(Health.general, of: health)
        for section in Health.sections {
            writeState(of: section.name, to: &exposition)
            exposition.write(section.members, of: health)
        }
        return exposition.text
    }

    /// The metrics that belong to a section and are not in the topic `health`.
    private func writeState(of section: String, to exposition: inout Exposition) {
        switch section {
        case "radio":
            exposition.gauge(
                "radio_degraded", "Whether it is deaf, or something is known to be wrong with it.",
                isDegraded)
        case "messages":
            exposition.counter("sightings", "Sightings that windows ended with.", sightings.total)
            exposition.gauge(
                "identities", "Identities in the latest window; none while the radio is deaf.",
                sightings.identities)
        case "broker":
            exposition.gauge(
                "broker_connected", "Whether a broker has let the agent in.", isConnected)
        default: break
        }
    }
}

extension Exposition {
    fileprivate mutating func write(_ members: [HealthMember], of health: Health) {
        for member in members {
            let zero = member.kind == .counter ? HealthMember.Value.unsigned(0) : .signed(0)
            guard let value = member.value(health) ?? (member.isZeroIfAbsent ? zero : nil) else {
                continue
            }
            write(member, value)
        }
    }

    private mutating func write(_ member: HealthMember, _ value: HealthMember.Value) {
        let (name, help) = (member.metric, member.help)
        switch (member.kind, value) {
        case (.counter, .unsigned(let number)): counter(name, help, number)
        case (.secondsTotal, .decimal(let number)): counter(name, help, number)
        case (.milliseconds, .signed(let number)), (.time, .signed(let number)):
            seconds(name, help, milliseconds: number)
        case (_, .signed(let number)): gauge(name, help, number)
        case (_, .unsigned(let number)): gauge(name, help, number)
        case (_, .decimal(let number)): counter(name, help, number)
        case (_, .flag(let flag)): gauge(name, help, flag)
        case (.word(_, let normal), .text(let word)): gauge(name, help, word == normal)
        case (_, .text(let text)): info(name, help, [(member.name, text)])
        }
    }
}

/// How many sightings there have been, and how many identities the latest window had.
package struct SightingTally: Equatable, Sendable {
    package private(set) var total: UInt64 = 0
    /// The number of identities; `nil` while the radio is deaf, and before the first window.
    package private(set) var identities: Int?

    package init() {}

    /// Continues an earlier tally.
    package init(total: UInt64, identities: Int?) {
        self.total = total
        self.identities = identities
    }

    /// A window, or a part of one, has ended.
    package mutating func count(_ batch: Batch) {
        let count = batch.sightings.count
        total &+= UInt64(count)
        let before = (batch.part?.index ?? 0) > 0 ? identities ?? 0 : 0
        identities = batch.state == .hearing ? before + count : nil
    }
}

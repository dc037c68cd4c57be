import Contract
import JSON

/// The close level of a gateway, as a survey has measured it.
package struct SurveyedLevel: ConfigurationSection, Equatable {
    package var gateway = ""
    /// dBm.
    package var power = 0

    package init() {}

    package init(gateway: String, power: Int) {
        (self.gateway, self.power) = (gateway, power)
    }

    static let most = 1000
    /// dBm.
    static let powers = -100...(-20)

    package static let help = "The power of a beacon next to a gateway, from sightline survey."
    package static let keys: [ConfigurationKey<SurveyedLevel>] = [
        .value("gateway", \.gateway, .queueName, isRequired: true, help: "A gateway of a queue."),
        .value(
            "dBm", \.power, .integer(in: powers), isRequired: true,
            help: "The power of a visitor's beacon in its loudest second beside the gateway."),
    ]
}

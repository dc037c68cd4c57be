import Contract

/// How the agent uses its radio: keys of the section `radio` of the local file.
package struct RadioSettings: Equatable, Sendable {
    /// Whether the agent switches a shared adapter on that is down.
    package var powersOn = true
    /// The share of the time in which the radio listens.
    package var scanDutyPercent = 100
    /// The minutes of a failure that no step has recovered, after which the agent ends; 0 for never.
    package var exitAfterMinutes = 0

    package init() {}

    static let keys: [ConfigurationKey<RadioSettings>] = [
        .value(
            "powerOn", \.powersOn, .bool, effect: .afterRestart,
            help: "Whether the agent switches a shared adapter on that is down. It needs "
                + "CAP_NET_ADMIN, which the service has."),
        .value(
            "scanDutyPercent", \.scanDutyPercent, .integer(in: 5...100), effect: .afterRestart,
            help: "The share of the time in which the radio listens. Beside 2.4 GHz Wi-Fi on a Pi "
                + "Zero 2 W, 80 leaves time for both."),
        .value(
            "exitAfterMinutes", \.exitAfterMinutes, .integer(in: 0...10_080),
            effect: .afterRestart,
            help: "The agent ends with exit status 3 when no step has recovered the radio for so "
                + "long; 0 for never. systemd's OnFailure= can then bind a driver again, or restart the machine."
        ),
    ]
}

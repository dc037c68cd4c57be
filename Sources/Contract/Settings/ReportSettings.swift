import JSON

/// How the gateway reports: the section `report` of the local file and of the layers.
package struct ReportSettings: ConfigurationSection {
    /// The width of a window; a multiple of 100 ms.
    package var window = Duration.seconds(1)
    /// The longest silence in one message; 0 sends a message per window.
    package var maxSilence = Duration.seconds(10)
    /// The most sightings in one message. A larger window is split into parts.
    package var maxSightingsPerMessage = 500
    /// The most sightings in one window; 0 for all.
    package var maxSightingsPerWindow = 0

    package init() {}

    package static let help = "How the gateway reports."
    package static let keys: [ConfigurationKey<ReportSettings>] = [
        .value(
            "windowMs", \.window, .milliseconds(in: 100...600_000, step: 100),
            help: "The time that one report covers, in milliseconds."),
        .value(
            "maxSilenceMs", \.maxSilence, .milliseconds(in: 0...3_600_000),
            help: "The longest time that one report may cover when no beacon is received."),
        .value(
            "maxSightingsPerMessage", \.maxSightingsPerMessage, .integer(in: 1...10_000),
            help: "A report with more sightings is cut into several messages."),
        .value(
            "maxSightingsPerWindow", \.maxSightingsPerWindow, .integer(in: 0...1_000_000),
            help: "The most beacons in one window; 0 for all. Beacons that the gateway reported in "
                + "the last minute go first. The others are counted as untracked."),
    ]
}

import JSON

/// How the gateway reports: the section `report` of the local file and of the layers.
package struct ReportSettings: ConfigurationSection {
    /// A window's width, in milliseconds; a multiple of 100.
    package var windowMs: Int64 = 1000
    /// The longest stretch of silence that one message stands for, in milliseconds; 0 for a message per window.
    package var maxSilenceMs: Int64 = 10_000
    /// Sightings in one message; a window with more is cut into parts.
    package var maxSightingsPerMessage = 500

    package init() {}

    package static let help = "How the gateway reports."
    package static let keys: [ConfigurationKey<ReportSettings>] = [
        .value(
            "windowMs", \.windowMs, .integer(in: 100...600_000, step: 100),
            help: "The time that one report covers, in milliseconds."),
        .value(
            "maxSilenceMs", \.maxSilenceMs, .integer(in: 0...3_600_000),
            help: "The longest time that one report may cover when no beacon is received."),
        .value(
            "maxSightingsPerMessage", \.maxSightingsPerMessage, .integer(in: 1...10_000),
            help: "A report with more sightings is cut into several messages."),
    ]
}

import Contract

/// How long the server keeps results: the section `retention` of its file.
package struct RetentionSettings: ConfigurationSection {
    package var minutesDays = 400
    package var hoursDays = 3660
    package var maxMebibytes = 4096

    package init() {}

    package static let help =
        "How long the server keeps results. Visits and evidence end after 24 hours, once their day is "
        + "closed: with the day on which clocks are set back, after 25 hours and some minutes. A "
        + "damaged store that was set aside ends after the same time."
    package static let keys: [ConfigurationKey<RetentionSettings>] = [
        .value(
            "minutesDays", \.minutesDays, .integer(in: 1...3660), effect: .afterRestart,
            help: "The number of days for which minutes are kept."),
        .value(
            "hoursDays", \.hoursDays, .integer(in: 1...36_600), effect: .afterRestart,
            help: "The number of days for which hours and days are kept."),
        .value(
            "maxMebibytes", \.maxMebibytes, .integer(in: 64...1_048_576), effect: .afterRestart,
            help: "The size of the store. Above it, the oldest minutes are removed first."),
    ]
}

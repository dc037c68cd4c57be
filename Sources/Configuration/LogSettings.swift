import Contract
import JSON

/// The section `log` of the local file.
package struct LogSettings: ConfigurationSection {
    /// The least urgent level in the log.
    package enum Level: String, CaseIterable, Sendable {
        case error
        case warning
        case info
        case debug
    }

    /// How a line looks.
    package enum Format: String, CaseIterable, Sendable {
        /// `key=value`, for people.
        case text
        /// An object a line, for programs.
        case json
    }

    package var level = Level.info
    package var format = Format.text

    package init() {}

    package static let help = "The log."
    package static let keys: [ConfigurationKey<LogSettings>] = [
        .value("level", \.level, .word, help: "The least urgent level that is logged."),
        .value(
            "format", \.format, .word,
            help: "text: key=value. json: one object a line, with \"priority\", \"level\" and "
                + "\"message\" first."),
    ]
}

import JSON

/// What is logged, and how: the section `log` of the local file.
package struct LogSettings: Equatable, Sendable {
    /// How much: its own level and those before it.
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

    package var level: Level
    package var format: Format

    package init(level: Level = .info, format: Format = .text) {
        self.level = level
        self.format = format
    }
}

extension LogSettings {
    /// Reads the section's members.
    init(from reader: inout ObjectReader) {
        level = reader.choice("level", default: .info)
        format = reader.choice("format", default: .text)
    }
}

import Configuration
import Glibc
import Posix

/// What the people who run the agent read: one line an event on standard error, without a time, which the journal adds.
///
/// Both threads write to one log, so that both follow when its level or its format is changed.
package struct Log: Sendable {
    package enum Level: Int, Sendable {
        /// Nothing at all.
        case silent = 0
        case error = 3
        case warning = 4
        case info = 6
        case debug = 7
    }

    private struct Manner {
        var level: Level
        var format: LogSettings.Format
    }

    private let manner: Guarded<Manner>
    private let reader = LogReader.ofStandardError

    package init(level: Level, format: LogSettings.Format = .text) {
        manner = Guarded(Manner(level: level, format: format))
    }

    package init(_ settings: LogSettings) {
        self.init(level: Level(settings.level), format: settings.format)
    }

    /// From here on, all who write to this log write by these settings.
    package func use(_ settings: LogSettings) {
        manner.withLock { $0 = Manner(level: Level(settings.level), format: settings.format) }
    }

    package func error(_ message: String, _ fields: KeyValuePairs<String, Any> = [:]) {
        write(.error, message, fields)
    }

    package func warning(_ message: String, _ fields: KeyValuePairs<String, Any> = [:]) {
        write(.warning, message, fields)
    }

    package func info(_ message: String, _ fields: KeyValuePairs<String, Any> = [:]) {
        write(.info, message, fields)
    }

    package func debug(_ message: String, _ fields: KeyValuePairs<String, Any> = [:]) {
        write(.debug, message, fields)
    }

    private func write(_ level: Level, _ message: String, _ fields: KeyValuePairs<String, Any>) {
        let manner = manner.withLock { $0 }
        guard level.rawValue <= manner.level.rawValue else { return }
        let line = LogLine(level: level, message: message, fields: fields)
        let bytes = Array((line.written(as: manner.format, for: reader) + "\n").utf8)
        // One write, so that the lines of two threads never mix; a log that can't be written is not worth an end.
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }
}

extension Log.Level {
    init(_ level: LogSettings.Level) {
        self =
            switch level {
            case .error: .error
            case .warning: .warning
            case .info: .info
            case .debug: .debug
            }
    }
}

import Configuration
import Glibc
import Posix

/// A service's log: one line an event on standard error, without a time, which the journal adds.
///
/// All threads of a process write to one log, so that a change of level or format applies to all of them.
package struct Log: Sendable {
    package enum Level: Int, Sendable {
        /// No messages.
        case silent = 0
        case error = 3
        case warning = 4
        case info = 6
        case debug = 7
    }

    private struct Style {
        var level: Level
        var format: LogSettings.Format
    }

    private let style: Guarded<Style>
    private let reader = LogReader.ofStandardError

    package init(level: Level, format: LogSettings.Format = .text) {
        style = Guarded(Style(level: level, format: format))
    }

    package init(_ settings: LogSettings) {
        self.init(level: Level(settings.level), format: settings.format)
    }

    /// Changes level and format for all threads.
    package func use(_ settings: LogSettings) {
        style.withLock { $0 = Style(level: Level(settings.level), format: settings.format) }
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
        let style = style.withLock { $0 }
        guard level.rawValue <= style.level.rawValue else { return }
        let line = LogLine(level: level, message: message, fields: fields)
        let bytes = Array((line.written(as: style.format, for: reader) + "\n").utf8)
        // One write, so that the lines of two threads never mix. A failed write is ignored.
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

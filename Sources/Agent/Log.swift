import Glibc
import Posix

/// What the people who run the agent read: one line an event, `key=value`, on standard error.
///
/// Lines carry the journal's priority prefix (sd-daemon(3)) and no time, which the journal adds; on a terminal there
/// is no prefix.
package struct Log: Sendable {
    package enum Level: Int, Sendable {
        /// Nothing at all.
        case silent = 0
        case error = 3
        case warning = 4
        case info = 6
        case debug = 7
    }

    private let level: Level
    private let hasPrefix: Bool

    package init(level: Level) {
        self.level = level
        hasPrefix = isatty(STDERR_FILENO) == 0
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
        guard level.rawValue <= self.level.rawValue else { return }
        var line = hasPrefix ? "<\(level.rawValue)>" : ""
        line += "msg=" + Self.quoted(message)
        for (key, value) in fields { line += " \(key)=" + Self.quoted("\(value)") }
        let bytes = Array((line + "\n").utf8)
        // One write, so that the lines of two threads never mix; a log that can't be written is not worth an end.
        _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
    }

    /// The value as it is, or in quotes where it would not be one word.
    static func quoted(_ value: String) -> String {
        let isPlain = value.unicodeScalars.allSatisfy { $0.value > 0x20 && $0 != "\"" && $0 != "=" }
        if isPlain, !value.isEmpty { return value }
        var text = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case "\n": text += "\\n"
            case _ where scalar.value < 0x20: text += "\\x" + String(scalar.value, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }
}

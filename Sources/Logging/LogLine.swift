import Configuration
import JSON
import Posix

/// One event in the log: a message and its fields.
struct LogLine {
    let level: Log.Level
    let message: String
    let fields: KeyValuePairs<String, Any>

    /// The longest value in Unicode scalars. The journal splits lines of 48 KiB, and a peer's text can be long.
    private static let longest = 2000

    /// The line without its line feed.
    ///
    /// The journal parses the priority at the beginning. Text has it everywhere but on a terminal; JSON has it only in the
    /// journal, so that other readers find pure JSON.
    func written(as format: LogSettings.Format, for reader: LogReader) -> String {
        let prefix = "<\(level.rawValue)>"
        return switch format {
        case .text: (reader == .terminal ? "" : prefix) + text
        case .json: (reader == .journal ? prefix : "") + json
        }
    }

    /// `msg=… key=value …`
    private var text: String {
        var line = "msg=" + Self.quoted(Self.bounded(message))
        for (key, value) in fields { line += " \(key)=" + Self.quoted(Self.bounded("\(value)")) }
        return line
    }

    /// An object with `priority` (syslog(3)), `level`, `message`, and the fields.
    private var json: String {
        var members: [JSON.Member] = [
            .init("priority", .integer(Int64(level.rawValue))), .init("level", .string("\(level)")),
            .init("message", .string(Self.bounded(message))),
        ]
        for (key, value) in fields { members.append(.init(key, Self.json(value))) }
        return JSON.object(members).text
    }

    /// Numbers and Booleans keep their type; other values are text.
    private static func json(_ value: Any) -> JSON {
        switch value {
        case let truth as Bool: .bool(truth)
        case let number as any BinaryInteger:
            Int64(exactly: number).map { .integer($0) } ?? .string("\(value)")
        case let number as Double where number.isFinite: .number(number)
        default: .string(bounded("\(value)"))
        }
    }

    private static func bounded(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard
            let end = scalars.index(
                scalars.startIndex, offsetBy: longest, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else { return text }
        return String(scalars[..<end]) + "…"
    }

    /// The value, in quotes if it is not a single word.
    private static func quoted(_ value: String) -> String {
        let isPlain = value.unicodeScalars.allSatisfy {
            $0.value > 0x20 && $0 != "\"" && $0 != "=" && !isControl($0)
        }
        if isPlain, !value.isEmpty { return value }
        var text = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case "\n": text += "\\n"
            case _ where isControl(scalar):
                text += (scalar.value < 0x10 ? "\\x0" : "\\x") + String(scalar.value, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "\""
    }

    /// Whether the journal treats a line with this character as binary.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
    }
}

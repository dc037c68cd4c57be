import Configuration
import JSON
import Posix

/// An event in one line: what happened, and its particulars.
struct LogLine {
    let level: Log.Level
    let message: String
    let fields: KeyValuePairs<String, Any>

    /// The most scalars of a value: the journal cuts lines of 48 KiB in two, and what peers say may be long.
    private static let longest = 2000

    /// The line without its end.
    ///
    /// The journal takes the priority in front for its own. Whoever else reads text may want it, too, but no terminal;
    /// whoever else reads JSON must find nothing but JSON.
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

    /// An object of `priority` (syslog(3)), `level`, `message`, and the particulars.
    private var json: String {
        var members: [JSON.Member] = [
            .init("priority", .integer(Int64(level.rawValue))), .init("level", .string("\(level)")),
            .init("message", .string(Self.bounded(message))),
        ]
        for (key, value) in fields { members.append(.init(key, Self.json(value))) }
        return JSON.object(members).text
    }

    /// Numbers and truth values as such, all else in the words that the text has.
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

    /// The value as it is, or in quotes where it would not be one word.
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

    /// One of those for which the journal takes a line to be no text.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
    }
}

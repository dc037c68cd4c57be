import JSON
import Results
import ServerConfiguration

/// A committed file whose text follows from declarations.
///
/// `swift run manual --generate` writes all of them; a test compares each with its text.
package struct GeneratedFile: Sendable {
    /// In the repository.
    package let path: String
    package let text: String

    package static var all: [GeneratedFile] {
        [
            GeneratedFile(path: "config/sightlined.json", text: ConfigurationExample.agent.text),
            GeneratedFile(path: "config/server.json", text: ConfigurationExample.server.text),
            GeneratedFile(path: "config/profile.json", text: ConfigurationExample.profile.text),
        ]
            + ConfigurationSchemas.files.map {
                GeneratedFile(path: "config/contract/schemas/\($0.name).json", text: $0.text)
            }
            + PublishedKinds.all.map { kind in
                GeneratedFile(
                    path: "config/contract/schemas/\(kind.file).json",
                    text: kind.schema.lines().joined(separator: "\n") + "\n")
            }
    }
}

extension JSON {
    /// The value in lines of at most 100 columns where it can be broken; what fits stays on one line.
    func lines(indentation: Int = 0, after start: String = "") -> [String] {
        let blanks = String(repeating: " ", count: indentation)
        let short = blanks + start + spaced
        if short.count <= 99 { return [short] }
        switch self {
        case .array(let elements):
            let parts = elements.map { $0.lines(indentation: indentation + 2) }
            return [blanks + start + "["] + parts.separated + [blanks + "]"]
        case .object(let members):
            let parts = members.map {
                $0.value.lines(indentation: indentation + 2, after: "\(JSON.string($0.key).text): ")
            }
            return [blanks + start + "{"] + parts.separated + [blanks + "}"]
        default: return [short]
        }
    }

    /// The value on one line, with blanks for the eye.
    var spaced: String {
        switch self {
        case .array(let elements): "[" + elements.map(\.spaced).joined(separator: ", ") + "]"
        case .object(let members) where members.isEmpty: "{}"
        case .object(let members):
            "{ "
                + members.map { "\(JSON.string($0.key).text): \($0.value.spaced)" }
                .joined(separator: ", ") + " }"
        default: text
        }
    }
}

extension [[String]] {
    /// All lines, with a comma at the end of each part but the last.
    fileprivate var separated: [String] {
        enumerated().flatMap { index, lines in
            lines.dropLast() + lines.suffix(1).map { index < count - 1 ? $0 + "," : $0 }
        }
    }
}

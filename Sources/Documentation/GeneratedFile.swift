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

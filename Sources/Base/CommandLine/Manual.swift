/// The parts of a command's man page beyond the tables of its options and operands.
package struct Manual: Equatable, Sendable {
    /// A term and its explanation: a file, an exit code, a command line.
    package struct Entry: Equatable, Sendable {
        package let term: String
        package let text: String

        package init(_ term: String, _ text: String) {
            self.term = term
            self.text = text
        }
    }

    /// Paragraphs on its purpose and its operation.
    package let description: [String]
    package let exitCodes: [Entry]
    package let environment: [Entry]
    package let files: [Entry]
    /// Command lines with their purposes.
    package let examples: [Entry]
    /// Other pages: `sightlined(8)`.
    package let seeAlso: [String]

    package init(
        _ description: [String] = [], exitCodes: [Entry] = [], environment: [Entry] = [],
        files: [Entry] = [], examples: [Entry] = [], seeAlso: [String] = []
    ) {
        self.description = description
        self.exitCodes = exitCodes
        self.environment = environment
        self.files = files
        self.examples = examples
        self.seeAlso = seeAlso
    }
}

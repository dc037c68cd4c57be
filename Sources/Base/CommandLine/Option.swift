/// An option of a command: `--check`, `--config FILE`.
package struct Option: Equatable, Sendable {
    /// Its name without the hyphens.
    package let long: String
    /// Its one-letter name without the hyphen.
    package let short: Character?
    /// The name of its value in help texts; `nil` for an option without a value.
    package let value: String?
    /// The description: one sentence for a column, without a full stop.
    package let help: String
    package let isRequired: Bool
    package let isRepeatable: Bool
    /// A shell's suggestions for its value.
    package let completion: Completion

    package init(
        _ long: String, short: Character? = nil, value: String? = nil, help: String,
        isRequired: Bool = false, isRepeatable: Bool = false, completion: Completion? = nil
    ) {
        self.long = long
        self.short = short
        self.value = value
        self.help = help
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
        self.completion = completion ?? Completion(ofValue: value)
    }

    /// Every command has these two.
    package static let help = Option("help", short: "h", help: "show this text")
    package static let version = Option("version", help: "show the version")
}

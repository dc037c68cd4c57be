/// An argument of a command besides its options: `FILE`, `[HEX]…`.
package struct Operand: Equatable, Sendable {
    /// The name, as help texts show it.
    package let name: String
    /// The description: one sentence for a column, without a full stop.
    package let help: String
    package let isRequired: Bool
    /// Whether more than one may be given; only the last operand of a command.
    package let isRepeatable: Bool
    /// A shell's suggestions for it.
    package let completion: Completion

    package init(
        _ name: String, help: String, isRequired: Bool = true, isRepeatable: Bool = false,
        completion: Completion? = nil
    ) {
        self.name = name
        self.help = help
        self.isRequired = isRequired
        self.isRepeatable = isRepeatable
        self.completion = completion ?? Completion(ofValue: name)
    }
}

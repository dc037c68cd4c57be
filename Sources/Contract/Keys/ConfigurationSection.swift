import JSON

/// A section of the configuration, declared by its keys.
package protocol ConfigurationSection: Equatable, Sendable {
    /// The defaults.
    init()
    static var keys: [ConfigurationKey<Self>] { get }
    /// Sentences for the reader of the example.
    static var help: String { get }
    /// Rules between keys, as JSON Schema states them.
    static var rules: JSON { get }
    /// Checks the rules between keys, once all of them have been read.
    mutating func complete(_ reader: inout ObjectReader)
}

extension ConfigurationSection {
    package static var rules: JSON { .object([]) }
    package mutating func complete(_ reader: inout ObjectReader) {}

    /// The defaults with a few changes: `ReportSettings { $0.window = .seconds(2) }`.
    package init(_ change: (inout Self) -> Void) {
        self.init()
        change(&self)
    }

    /// Reads the section's members.
    package init(from reader: inout ObjectReader) {
        self.init()
        Self.keys.read(&reader, &self)
        complete(&reader)
    }

    /// The section with every member that has a value.
    package var json: JSON { Self.keys.json(self) }
}

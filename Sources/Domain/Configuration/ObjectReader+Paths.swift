import JSON

extension ObjectReader {
    /// A file's or a folder's path, or `nil` when it is not there.
    mutating func optionalPath(_ key: String) -> String? {
        optionalParsed(key, expecting: "a path") { (1...4095).contains($0.utf8.count) ? $0 : nil }
    }

    /// The path of a file that node_exporter's textfile collector reads, or `nil` when it is not there.
    mutating func optionalMetricsPath(_ key: String) -> String? {
        optionalParsed(key, expecting: "a path that ends in .prom, as node_exporter wants it") {
            (1...4095).contains($0.utf8.count) && $0.hasSuffix(".prom") ? $0 : nil
        }
    }

    /// Some text without control characters, or `nil` when it is not there.
    mutating func optionalText(_ key: String, maxBytes: Int) -> String? {
        optionalParsed(key, expecting: Self.textRule(maxBytes)) { Self.text($0, maxBytes) }
    }

    /// Such a text that must be there; `nil` after a fault.
    mutating func requiredText(_ key: String, maxBytes: Int) -> String? {
        parsed(key, expecting: Self.textRule(maxBytes)) { Self.text($0, maxBytes) }
    }

    private static func textRule(_ maxBytes: Int) -> String {
        "1 to \(maxBytes) bytes without control characters"
    }

    private static func text(_ text: String, _ maxBytes: Int) -> String? {
        let isPlain = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        return isPlain && (1...maxBytes).contains(text.utf8.count) ? text : nil
    }
}

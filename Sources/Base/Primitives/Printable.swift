extension String {
    /// The text for a terminal: printable ASCII, at most `limit` characters; `?` replaces everything else.
    ///
    /// For text from a broker, a capture or a file.
    package func printable(limit: Int = 60) -> String {
        excerpt(limit) { $0.isPlain ? nil : "?" }
    }

    /// The beginning of a text from outside, in quotes, for a message: one line without control characters.
    package var quotedForPeople: String {
        let excerpt = excerpt(40) { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                "\\u{\(String(scalar.value, radix: 16))}"
            default: nil
            }
        }
        return "“\(excerpt)”"
    }

    /// The first `limit` characters, each as `replacement` returns it, or unchanged where that is `nil`.
    private func excerpt(_ limit: Int, _ replacement: (Unicode.Scalar) -> String?) -> String {
        var text = ""
        for (index, scalar) in unicodeScalars.enumerated() {
            if index == limit { return text + "…" }
            if let replacement = replacement(scalar) {
                text += replacement
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The text with spaces on the right, `width` characters wide.
    package func padded(_ width: Int) -> String { self + spaces(width) }

    /// The text with spaces on the left, `width` characters wide.
    package func rightAligned(_ width: Int) -> String { spaces(width) + self }

    private func spaces(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count))
    }
}

extension Unicode.Scalar {
    /// Printable ASCII, and the punctuation of this program's own messages.
    fileprivate var isPlain: Bool {
        switch self {
        case " "..."~", "“", "”", "’", "–", "…": true
        default: false
        }
    }
}

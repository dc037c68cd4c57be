extension String {
    /// The text with everything replaced that a terminal might obey rather than show, and cut to `limit` characters.
    ///
    /// For whatever came from a broker or a capture and is about to be printed.
    package func printable(limit: Int = 60) -> String {
        var text = ""
        for (index, scalar) in unicodeScalars.enumerated() {
            if index == limit { return text + "…" }
            text.unicodeScalars.append(scalar.isHarmless ? scalar : "?")
        }
        return text
    }

    /// The text with blanks on the right up to `width` characters.
    package func padded(_ width: Int) -> String { self + blanks(width) }

    /// The text with blanks on the left up to `width` characters.
    package func rightAligned(_ width: Int) -> String { blanks(width) + self }

    private func blanks(_ width: Int) -> String {
        String(repeating: " ", count: max(0, width - count))
    }
}

extension Unicode.Scalar {
    /// Printable ASCII, and the few marks beyond it that our own sentences are written with.
    fileprivate var isHarmless: Bool {
        switch self {
        case " "..."~", "“", "”", "’", "–", "…": true
        default: false
        }
    }
}

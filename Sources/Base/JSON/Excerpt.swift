extension String {
    /// The beginning of a text from outside, in quotes, fit for a message: short, on one line, and without control
    /// characters.
    package var quotedForPeople: String {
        var excerpt = "“"
        for (index, scalar) in unicodeScalars.enumerated() {
            if index == 40 {
                excerpt += "…"
                break
            }
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
                excerpt += "\\u{\(String(scalar.value, radix: 16))}"
            default: excerpt.unicodeScalars.append(scalar)
            }
        }
        return excerpt + "”"
    }
}

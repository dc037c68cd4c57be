/// The words by which an operator filters a list, and their typing after `/`.
package struct ListFilter {
    package private(set) var text = ""
    package private(set) var isTyping = false

    package init() {}

    package mutating func beginTyping() { isTyping = true }

    package mutating func clear() { text = "" }

    /// Takes a key while one types. Enter keeps the filter, Escape removes it.
    ///
    /// - Returns: whether the filter has changed.
    package mutating func on(_ key: Key) -> Bool {
        let before = text
        switch key {
        case .character(let character): text.append(character)
        case .backspace: _ = text.popLast()
        case .escape: text = ""
        default: break
        }
        if key == .enter || key == .escape { isTyping = false }
        return text != before
    }

    /// Whether `text` contains each word of the filter, in any case.
    package func matches(_ text: String) -> Bool {
        let text = text.lowercased()
        return self.text.lowercased().split(separator: " ").allSatisfy { text.contains($0) }
    }
}

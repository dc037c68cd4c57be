import Glibc

/// The environment variables of terminal and language (environ(7), locale(7)).
package struct Environment {
    private let value: (String) -> String?

    package init(_ value: @escaping (String) -> String? = Self.read) { self.value = value }

    /// `NO_COLOR` is empty (https://no-color.org).
    package var wantsColours: Bool { (value("NO_COLOR") ?? "").isEmpty }

    /// The terminal supports control sequences.
    package var terminalCanMove: Bool { value("TERM").map { $0 != "dumb" && !$0.isEmpty } ?? false }

    /// The first variable that is set decides, as in the C library.
    package var isUTF8: Bool {
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(value).first { !$0.isEmpty } ?? ""
        let name = locale.lowercased()
        return name.hasSuffix("utf-8") || name.hasSuffix("utf8") || name.contains("utf-8@")
    }

    private static func read(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}

import Glibc

/// The environment variables of terminal, language and folders (environ(7), locale(7)).
package struct Environment {
    private let value: (String) -> String?

    package init(_ value: @escaping (String) -> String? = Self.read) { self.value = value }

    /// A variable that is set and not empty.
    package subscript(name: String) -> String? { value(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// The program's folder with profiles; `nil` without a home folder.
    package var configurationFolder: String? { folder("XDG_CONFIG_HOME", inHome: ".config") }

    /// The program's folder with files that it can make again; `nil` without a home folder.
    package var cacheFolder: String? { folder("XDG_CACHE_HOME", inHome: ".cache") }

    private func folder(_ variable: String, inHome path: String) -> String? {
        // A relative path is invalid and to be ignored (XDG Base Directory Specification).
        if let base = self[variable], base.hasPrefix("/") { return base + "/sightline" }
        guard let home = self["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/\(path)/sightline"
    }

    /// `NO_COLOR` is empty (https://no-color.org).
    package var wantsColours: Bool { (value("NO_COLOR") ?? "").isEmpty }

    /// The terminal supports control sequences.
    package var terminalCanMove: Bool { value("TERM").map { $0 != "dumb" && !$0.isEmpty } ?? false }

    /// Whether lines on standard output have colours.
    package var colours: Bool { TerminalScreen.isUsable(self) && wantsColours }

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

/// The folder of what a program keeps: the agent's outbox and layers, the server's store.
package enum StateDirectory {
    /// The configured folder, else systemd's (systemd.exec(5)), else the user's state folder by the XDG rules.
    ///
    /// `nil` without any of them.
    package static func path(
        configured: String?, program: String = "sightline", environment: (String) -> String?
    ) -> String? {
        if let configured { return configured }
        // systemd lists several, with colons between them, if the unit has several.
        let listed = environment("STATE_DIRECTORY")?.split(separator: ":").first.map(String.init)
        if let listed { return listed }
        // A relative path there is invalid and to be ignored (XDG Base Directory Specification).
        if let base = environment("XDG_STATE_HOME"), base.hasPrefix("/") {
            return base + "/" + program
        }
        guard let home = environment("HOME"), home.hasPrefix("/") else { return nil }
        return home + "/.local/state/" + program
    }
}

/// The folder for files that a reboot may remove. It is on another file system than the state directory, mostly in memory.
package enum RuntimeDirectory {
    /// systemd's folder (systemd.exec(5)), else the user's by the XDG rules, else `/run` for root.
    ///
    /// `nil` without any of them.
    package static func path(
        program: String, isRoot: Bool, environment: (String) -> String?
    ) -> String? {
        let listed = environment("RUNTIME_DIRECTORY")?.split(separator: ":").first.map(String.init)
        if let listed { return listed }
        if let base = environment("XDG_RUNTIME_DIR"), base.hasPrefix("/") {
            return base + "/" + program
        }
        return isRoot ? "/run/" + program : nil
    }
}

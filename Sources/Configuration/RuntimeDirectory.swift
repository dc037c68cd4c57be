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
